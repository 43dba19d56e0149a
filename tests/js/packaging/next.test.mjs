/** A Next application with the package in each place where code runs. Its edge runtime refuses Node's interfaces. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before } from 'node:test';

import { answersAt, startBrowser } from './support/browser.mjs';
import { loads } from './support/matrix.mjs';
import { project, root, run, script } from './support/tarball.mjs';

const home = project('next', 'next', ['next', 'react', 'react-dom']);
const next = script('next/dist/bin/next');
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', PROJECT_ROOT: root };

let server;
let address;
before(async () => {
  run(process.execPath, [next, 'build'], { cwd: home, env });
  server = spawn(process.execPath, [next, 'start', '--port', '0', '--hostname', '127.0.0.1'], { cwd: home, env });
  address = await addressOf(server);
});
after(() => server?.kill());

/** The address that a server prints when it is ready. */
function addressOf({ stdout, stderr }) {
  return new Promise((resolve, reject) => {
    let printed = '';
    const read = (chunk) => {
      printed += chunk;
      const [found] = /http:\/\/(127\.0\.0\.1|localhost):\d+/.exec(printed) ?? [];
      if (found && printed.includes('Ready')) resolve(found);
    };
    stdout.on('data', read);
    stderr.on('data', read);
    stdout.on('close', () => reject(new Error(`the server ended\n${printed}`)));
  });
}

async function textAt(path) {
  const response = await fetch(address + path);
  return { status: response.status, text: await response.text() };
}

for (const [way, path] of [
  ['route', '/node'],
  ['edge route', '/edge'],
]) {
  loads('Next', way, async () => assert.deepEqual(await textAt(path), { status: 200, text: '["OK",null]' }));
}

loads('Next', 'server component', async () => assert.match((await textAt('/')).text, /<main>server component/));

loads('Next', 'client component', async () => {
  const browser = await startBrowser();
  try {
    assert.deepEqual(await answersAt(browser, `${address}/`), ['OK', null]);
  } finally {
    await browser.close();
  }
});
