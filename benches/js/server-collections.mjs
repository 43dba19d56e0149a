/** Large collections over a socket: a sorted set of a million members, a long list, a hash of short fields. */
import { answer, isWanted, quick } from './options.mjs';
import { requestOf } from './shared/resp.mjs';
import { summarise } from './shared/rounds.mjs';
import { dice } from './shared/texts.mjs';
import { Pipe } from './support/pipe.mjs';
import { processNs } from './support/processes.mjs';
import { wallNs } from './support/time.mjs';

const MEMBERS = quick ? 2_000 : 1_000_000;
const ELEMENTS = quick ? 1_000 : 100_000;
const BLOCKS = 20;
const FIELDS = 128;
/** Number of requests written at once. */
const WRITTEN = 1000;
const US_NS = 1000;
const TABLE = 'Large collections';
const ROWS = {
  add: 'ZADD, 1e6 members',
  rank: 'ZRANK, 1e6 members',
  memberBytes: 'bytes a member, sorted set of 1e6',
  range: 'LRANGE of 1e5 elements',
  hashBytes: `bytes, hash of ${FIELDS} short fields`,
};

const member = (number) => `member:${String(number).padStart(9, '0')}`;

/** The numbers below `count` in a pseudo-random order, equal for both sides. */
function shuffled(count, random) {
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [numbers[last], numbers[other]] = [numbers[other], numbers[last]];
  }
  return numbers;
}

/** Processor time of the server for some work, or the elapsed time where that is not available. */
async function costNs(pid, work) {
  const before = processNs(pid);
  const ns = await wallNs(work);
  return before === undefined ? ns : processNs(pid) - before;
}

/** Runs a block of requests on every side in turns; returns nanoseconds per request by side. */
async function inTurns(sides, servers, pipes, blocks) {
  const times = new Map(sides.map((side) => [side, []]));
  for (const [index, { requests, lines, count }] of blocks.entries()) {
    for (const side of index % 2 === 0 ? sides : sides.toReversed()) {
      const work = async () => {
        for (const piece of requests) await pipes[side].exchange(piece, lines);
      };
      times.get(side).push((await costNs(servers[side].pid, work)) / count);
    }
  }
  return times;
}

/** Requests in blocks, each of several chunks that are written at once; every reply is one line. */
function blocksOf(requests) {
  const length = Math.ceil(requests.length / BLOCKS / WRITTEN) * WRITTEN;
  const blocks = [];
  for (let from = 0; from < requests.length; from += length) {
    const block = requests.slice(from, from + length);
    const pieces = [];
    for (let at = 0; at < block.length; at += WRITTEN) pieces.push(block.slice(at, at + WRITTEN).join(''));
    blocks.push({ requests: pieces, lines: WRITTEN, count: block.length });
  }
  return blocks;
}

async function measureSortedSet(sides, servers, pipes) {
  const random = dice(11);
  const added = shuffled(MEMBERS, random).map((number) => requestOf('ZADD', 'ranks', number % 65_537, member(number)));
  const asked = shuffled(MEMBERS, random)
    .slice(0, Math.max(MEMBERS / 4, WRITTEN))
    .map((number) => requestOf('ZRANK', 'ranks', member(number)));
  for (const [row, requests] of [
    [ROWS.add, added],
    [ROWS.rank, asked],
  ]) {
    const times = await inTurns(sides, servers, pipes, blocksOf(requests));
    if (isWanted(row)) answer({ table: TABLE, row, unit: 'ns', ...summarise(sides, times) });
  }
  await answerBytes(sides, pipes, ROWS.memberBytes, 'ranks', MEMBERS);
}

async function answerBytes(sides, pipes, row, key, parts) {
  if (!isWanted(row)) return;
  const bytes = new Map();
  for (const side of sides) {
    const reply = await pipes[side].exchange(requestOf('MEMORY', 'USAGE', key, 'SAMPLES', '0'), 1);
    bytes.set(side, [Number(reply.slice(1)) / parts]);
  }
  answer({ table: TABLE, row, unit: 'B', ...summarise(sides, bytes) });
}

async function measureList(sides, servers, pipes) {
  const words = Array.from({ length: ELEMENTS }, (_, index) => `element:${index}`);
  for (const side of sides) await pipes[side].exchange(requestOf('RPUSH', 'elements', ...words), 1);
  const lines = 1 + 2 * ELEMENTS;
  const blocks = Array.from({ length: quick ? 1 : BLOCKS }, () => ({
    requests: [requestOf('LRANGE', 'elements', 0, -1)],
    lines,
    count: US_NS,
  }));
  answer({
    table: TABLE,
    row: ROWS.range,
    unit: 'µs',
    ...summarise(sides, await inTurns(sides, servers, pipes, blocks)),
  });
}

async function measureHash(sides, pipes) {
  const fields = Array.from({ length: FIELDS }, (_, index) => [`f${index}`, `v${index}`]).flat();
  for (const side of sides) await pipes[side].exchange(requestOf('HSET', 'fields', ...fields), 1);
  await answerBytes(sides, pipes, ROWS.hashBytes, 'fields', 1);
}

/** Rows of large collections; `servers` has `{ port, pid }` by side. */
export async function measureCollections(sides, servers) {
  const wanted = (...names) => names.some((name) => isWanted(ROWS[name]));
  const pipes = Object.fromEntries(
    await Promise.all(sides.map(async (side) => [side, await Pipe.open(servers[side].port)])),
  );
  try {
    if (wanted('add', 'rank', 'memberBytes')) await measureSortedSet(sides, servers, pipes);
    if (wanted('range')) await measureList(sides, servers, pipes);
    if (wanted('hashBytes')) await measureHash(sides, pipes);
  } finally {
    for (const side of sides) pipes[side].close();
  }
}
