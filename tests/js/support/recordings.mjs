// Recorded sessions of a real Redis, and the comparison of their replies. The first line of each file explains the
// fields; tests/conformance.rs replays these files natively.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../conformance/', import.meta.url));

/** One recorded session file: its name and its sessions, arguments and replies as bytes. */
export function recordings() {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => {
      const [, ...lines] = readFileSync(folder + name, 'utf8')
        .split('\n')
        .filter((line) => line !== '');
      return { name: name.replace('.jsonl', ''), sessions: lines.map((line) => readSession(JSON.parse(line))) };
    });
}

function readSession({ id, steps }) {
  const latin1 = (text) => Buffer.from(text, 'latin1');
  const readStep = ({ c, r, m = 'exact', k = 0 }) => ({
    argv: c.map(latin1),
    reply: latin1(r),
    mode: m,
    connection: k,
  });
  return { id, steps: steps.map(readStep) };
}

/** True when a reply equals the recorded one, as exactly as the step's mode requires. */
export function matches({ reply, mode }, got) {
  if (mode === 'exact') return reply.equals(got);
  if (mode === 'any') return got.length > 0;
  const [expected, actual] = [parse(reply), parse(got)];
  switch (mode) {
    case 'set':
      return same(bag(expected, 1), bag(actual, 1));
    case 'pairs':
      return same(bag(expected, 2), bag(actual, 2));
    case 'scan':
      return same(page(expected, 1), page(actual, 1));
    case 'scanpairs':
      return same(page(expected, 2), page(actual, 2));
    case 'near':
      return isNear(expected, actual, 1);
    case 'near1000':
      return isNear(expected, actual, 1000);
    case 'encoding':
      return typeof actual === 'string';
    default:
      throw new Error(`unknown match mode ${mode}`);
  }
}

const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);

/** Elements in groups, without their order; a reply that is no array is one element. */
function bag(reply, group) {
  if (!Array.isArray(reply)) return reply;
  const groups = [];
  for (let at = 0; at < reply.length; at += group) groups.push(JSON.stringify(reply.slice(at, at + group)));
  return groups.sort();
}

/** The cursor, and the page without its order. */
const page = (reply, group) => (Array.isArray(reply) && reply.length === 2 ? [reply[0], bag(reply[1], group)] : reply);

function isNear(expected, actual, distance) {
  const [left, right] = [expected, actual].map((reply) => (/^:-?\d+$/.test(reply) ? Number(reply.slice(1)) : NaN));
  return Number.isNaN(left) ? same(expected, actual) : Math.abs(left - right) <= distance;
}

/** A RESP2 reply as nested arrays of lines; a bulk string keeps its header, so that types are distinct. */
function parse(bytes) {
  const text = bytes.toString('latin1');
  let at = 0;
  const line = () => {
    const end = text.indexOf('\r\n', at);
    const found = text.slice(at, end);
    at = end + 2;
    return found;
  };
  const read = () => {
    const header = line();
    const length = Number(header.slice(1));
    if (header.startsWith('*')) return length < 0 ? header : Array.from({ length }, read);
    if (!header.startsWith('$') || length < 0) return header;
    at += length + 2;
    return header + text.slice(at - length - 2, at - 2);
  };
  return read();
}

/** A step and its replies as text, for a message. */
export function describe({ argv, reply, mode }, got) {
  const words = argv.map((argument) => JSON.stringify(argument.toString('latin1'))).join(' ');
  const shown = (bytes) => JSON.stringify(bytes.toString('latin1'));
  return `${words} (${mode})\n    expected ${shown(reply)}\n    got      ${shown(got)}`;
}

/** A request as RESP bytes. */
export function request(argv) {
  const parts = argv.flatMap((argument) => [Buffer.from(`$${argument.length}\r\n`), argument, Buffer.from('\r\n')]);
  return Buffer.concat([Buffer.from(`*${argv.length}\r\n`), ...parts]);
}
