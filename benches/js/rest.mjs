/**
 * `keylatch serve --http` beside a server of node:http that answers a constant, in turns: processor time of the server per
 * request, for one command and for pipelines of a hundred.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as send } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serve } from '../../tests/clients/support/server.mjs';
import { answer, isWanted, quick, say } from './options.mjs';
import { summarise } from './shared/rounds.mjs';
import { processNs } from './support/processes.mjs';
import { Scope } from './support/scope.mjs';

const TABLE = 'REST over HTTP';
const TOKEN = 'secret';
const CONNECTIONS = 16;
const ROUNDS = quick ? 1 : 9;
const PIPELINE = JSON.stringify(
  Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? ['SET', `k${index}`, 'v'] : ['GET', `k${index}`])),
);
/** Requests as @upstash/redis sends them, but for the encoding. */
const ROWS = {
  'GET, in the path': { path: '/get/k', requests: quick ? 200 : 10_000 },
  'SET, as JSON': { path: '/', body: '["SET","k","v"]', requests: quick ? 200 : 10_000 },
  'pipeline of 100': { path: '/pipeline', body: PIPELINE, requests: quick ? 50 : 2000 },
};

async function bareServer(scope) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'support/bare-http.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  scope.after(() => child.kill());
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { pid: child.pid, port: Number(line) };
}

async function keylatchServer(scope) {
  process.env.KEYLATCH_HTTP_TOKEN = TOKEN;
  const server = await serve(scope, '--http', '0');
  await server.printed(/UPSTASH_REDIS_REST_TOKEN/);
  return { pid: server.pid, port: Number(/:(\d+)"/.exec(server.output())[1]) };
}

function ask(agent, port, { path, body }) {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      ...(body ? { 'content-type': 'application/json', 'content-length': body.length } : {}),
    };
    const asked = send({ agent, port, host: '127.0.0.1', path, method: body ? 'POST' : 'GET', headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      response.resume().on('end', resolve);
    });
    asked.on('error', reject).end(body);
  });
}

/** Processor time of the server per request in nanoseconds. */
async function measure({ port, pid }, row) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const before = processNs(pid);
  let left = row.requests;
  const client = async () => {
    for (; left > 0; ) {
      left -= 1;
      await ask(agent, port, row);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  agent.destroy();
  return (processNs(pid) - before) / row.requests;
}

const wanted = Object.entries(ROWS).filter(([name]) => isWanted(name));
const scope = new Scope();
try {
  if (wanted.length > 0) say(TABLE);
  const servers =
    wanted.length > 0 ? { keylatch: await keylatchServer(scope), 'node:http': await bareServer(scope) } : {};
  const names = Object.keys(servers);
  for (const [name, row] of wanted) {
    const times = new Map(names.map((each) => [each, []]));
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (let turn = 0; turn < names.length; turn += 1) {
        const each = names[(round + turn) % names.length];
        const ns = await measure(servers[each], row);
        if (round > 0 || quick) times.get(each).push(ns);
      }
    }
    answer({ table: TABLE, row: name, unit: 'ns', ...summarise(names, times) });
  }
} finally {
  await scope.close();
}
