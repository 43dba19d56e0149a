/** `keylatch reshard`: changes the number of shards of a namespace behind `keylatchFetch`, while no client uses it. */
import { parseArgs } from 'node:util';
import { SHARDS_MAX } from '../../adapters/durable-object/shards/slots.js';
import { POSITION } from '../../adapters/upstash/sharing.js';
import { CallerRangeError, CallerTypeError } from '../../base/caller-errors.js';
import { Keylatch } from '../../db/built-in.js';
import { printOut } from '../output.js';
import { readCopies, type ShardCopy, writeCopies } from './copies.js';
import { divided } from './divide.js';

export const RESHARD_USAGE = `keylatch reshard URL --from N --to M --folder DIR [--namespace NAME]
  Changes the number of shards of a namespace from N to M. URL is the Worker's, with its base path; the variable KEYLATCH_TOKEN
  has a full token. From now on the namespace answers nothing, until the option shards of keylatchFetch is M.
  --folder DIR       keeps a copy of each shard. After a failure, the same command goes on with them
  --namespace NAME   unless the Worker has one namespace for all requests, or the default one is meant`;

const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  folder: { type: 'string' },
  namespace: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** A request about one shard; its response, if that is a success. */
type Send = (method: string, parameters: Record<string, number>, body?: Uint8Array) => Promise<Response>;

/** Changes the number of shards. Returns the exit code. */
export async function reshard(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  if (values.help) {
    printOut(RESHARD_USAGE);
    return 0;
  }
  const [from, to] = [numberOf('from', values.from), numberOf('to', values.to)];
  const { folder } = values;
  if (folder === undefined) throw new CallerTypeError('--folder is needed: where copies of the shards are kept');
  const send = senderTo(addressOf(positionals, values.namespace));
  const copies = readCopies(folder, from) ?? (await copied(send, from, to, folder));
  await fill(send, copies, to);
  printOut(`The namespace has ${to} ${to === 1 ? 'shard' : 'shards'}: set the option shards to ${to}, and deploy.`);
  return 0;
}

function numberOf(option: string, text: string | undefined): number {
  const number = Number(text);
  if (text === undefined || !/^\d+$/.test(text) || number < 1 || number > SHARDS_MAX)
    throw new CallerRangeError(`--${option} must be a number from 1 to ${SHARDS_MAX}, found ${text ?? 'none'}`);
  return number;
}

function addressOf(positionals: readonly string[], namespace: string | undefined): string {
  const [address = '', ...more] = positionals;
  if (!/^https?:\/\/[^/]/.test(address) || more.length > 0)
    throw new CallerTypeError('expected one URL of a Worker, such as https://keylatch.example.workers.dev');
  const path = namespace === undefined ? '' : `/namespace/${encodeURIComponent(namespace)}`;
  return `${address.replace(/\/$/, '')}${path}/reshard`;
}

function senderTo(address: string): Send {
  const { KEYLATCH_TOKEN: token = '' } = process.env;
  if (token === '') throw new CallerTypeError('the variable KEYLATCH_TOKEN is needed: a full token of the Worker');
  return async (method, parameters, body) => {
    const query = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
    const init = { method, headers: { authorization: `Bearer ${token}` }, body: (body ?? null) as BodyInit | null };
    const response = await fetch(`${address}?${query.join('&')}`, init);
    if (response.ok) return response;
    throw new Error(`shard ${parameters['shard']}: status ${response.status}: ${await response.text()}`);
  };
}

/** Closes and copies all shards. The first is closed first: it admits those that are new. */
async function copied(send: Send, from: number, to: number, folder: string): Promise<ShardCopy[]> {
  const copies: ShardCopy[] = [];
  for (let shard = 0; shard < from; shard += 1) {
    const response = await send('POST', { shard, from, to });
    const position = Number(response.headers.get(POSITION));
    copies.push({ snapshot: new Uint8Array(await response.arrayBuffer()), position });
    printOut(`Shard ${shard} of ${from} is closed and copied.`);
  }
  writeCopies(folder, copies);
  return copies;
}

/** Fills all shards, and empties those beyond the number. The first is filled last: until then it admits none that are new. */
async function fill(send: Send, copies: readonly ShardCopy[], to: number): Promise<void> {
  const snapshots = divided(
    copies.map(({ snapshot }) => snapshot),
    to,
  );
  const empty = new Keylatch().snapshot();
  for (let shard = Math.max(copies.length, to) - 1; shard >= 0; shard -= 1) {
    const { position } = copies[shard] ?? {};
    await send('PUT', { shard, to, ...(position !== undefined && { position }) }, snapshots[shard] ?? empty);
    printOut(shard < to ? `Shard ${shard} of ${to} is filled.` : `Shard ${shard} is emptied.`);
  }
}
