// Commands as a program writes them, for the pages of the site: with this package, and those that lessons use with ioredis and
// node-redis, too. Each is a use of a session file with its reply, so that tests can run the session up to it, and then the form.
import { literal, quoted, readSession } from './examples.mjs';
import { methodName, plainCall } from './methods.mjs';
import { NODE_REDIS } from './node-redis.mjs';
import { inOrder, pairs } from './words.mjs';

/** A line of code is at most so long. */
const CODE_MAX = 110;
/** Replies that show little: another use is preferred. */
const DULL = ['null', '0', '-2', '[]', 'Set {}', 'Map {}', "''"];
/** Commands that need the connection of the lines in front of them, which a program has as a client or a transaction. */
const OF_CONNECTION = /^(?:MULTI|EXEC|DISCARD|CLIENT\|(?:CACHING|GETNAME))$/;
/** Uses that show more of a command than the first one. */
const PREFERRED = { SET: /^SET \S+ \S+ NX PX \d+$/ };
/** Commands of newer servers, which ioredis has no methods for. */
const WITHOUT_METHOD = /^(?:DELEX|DELIFEQ|DIGEST|MSETEX|HGETEX|HSETEX|HGETDEL)$/;
/** Methods of the package that are written by hand, and take the command's words in its order. */
const IN_ORDER = ['LPOP', 'RPOP', 'ZRANK', 'ZREVRANK', 'ZINCRBY', 'KEYS', 'ZPOPMIN', 'ZPOPMAX', 'SPOP', 'SRANDMEMBER'];
/** Options of SET: `{ nx: true, px: 5000 }`. */
function setOptions(words) {
  const options = [];
  for (let at = 0; at < words.length; at += 1) {
    const name = words[at].toLowerCase();
    if (/^(?:nx|xx|get|keepttl)$/.test(name)) options.push(`${name}: true`);
    else options.push(`${name}: ${name.startsWith('if') ? quoted(words[(at += 1)]) : words[((at += 1))]}`);
  }
  return options.length === 0 ? [] : [`{ ${options.join(', ')} }`];
}

/** Arguments of methods with objects. */
const OWN = {
  SET: ([key, text, ...options]) => [quoted(key), quoted(text), ...setOptions(options)],
  DELEX: ([key, ...condition]) => [quoted(key), ...setOptions(condition)],
  MSET: (words) => [pairs(words)],
  MSETNX: (words) => [pairs(words)],
  HSET: ([key, ...words]) => [quoted(key), pairs(words)],
};

function ofPackage(row, words, plain) {
  const own = OWN[row.name];
  const args = own ? own(words) : IN_ORDER.includes(row.name) ? inOrder(words, row) : undefined;
  if (args) return `db.${methodName(row.name)}(${args.join(', ')})`;
  const written = plain[row.name] && plainCall(row, plain[row.name])(words);
  if (written) return `db.${methodName(row.name)}(${written.join(', ')})`;
  return `db.call(${[...row.name.split('|'), ...words].map(quoted).join(', ')})`;
}

function ofIoredis(row, words) {
  const [container, ...subcommand] = row.name.split('|');
  const args = [...subcommand, ...words].map((word) => (/^-?\d{1,15}$/.test(word) ? word : quoted(word)));
  if (WITHOUT_METHOD.test(row.name)) return `await redis.call(${[quoted(container), ...args].join(', ')})`;
  return `await redis.${container.toLowerCase()}(${args.join(', ')})`;
}

function ofNodeRedis(row, words) {
  const method = NODE_REDIS[row.name];
  const args = method && (method.args ? method.args(words, row) : inOrder(words, row));
  if (args) return `await client.${method.name}(${args.join(', ')})`;
  return `await client.sendCommand([${[...row.name.split('|'), ...words].map(quoted).join(', ')}])`;
}

/** Reply as clients of RESP2 receive it: doubles are text, sets and maps are arrays. */
function rawReply(reply, row) {
  return literal(reply, { reply: /^(?:array|set|map)/.test(row.reply) ? 'array(any)' : 'any' });
}

function formOf(row, [request, reply, path, line], plain, isInLessons) {
  const parts = readSession(request);
  if (parts === undefined || reply[0] === 'QUEUED') return undefined;
  const words = parts.slice(row.name.split('|').length);
  // Scores are pairs in RESP3, and elements without an order come in another one.
  if (words.includes('WITHSCORES') || (row.unordered && reply.length > 1)) return undefined;
  const shown = (code, result) => (result === undefined ? code : `${code} // ${result}`);
  const own = literal(reply, row);
  const form = {
    path,
    line,
    keylatch: shown(ofPackage(row, words, plain), own),
    isTelling: own && !DULL.includes(own),
  };
  if (!isInLessons || row.name.startsWith('LATCH.')) return form;
  const raw = rawReply(reply, row);
  const number = row.reply.startsWith('double') ? own : raw;
  return { ...form, ioredis: shown(ofIoredis(row, words), raw), nodeRedis: shown(ofNodeRedis(row, words), number) };
}

/** The first of the uses that fits on a line, rather one with a telling result; undefined if none fits. */
function chosen(row, uses, plain, isInLessons) {
  const wanted = PREFERRED[row.name] ?? /./;
  const preferred = uses.filter(([request]) => wanted.test(request));
  const all = [...preferred, ...uses].flatMap((use) => formOf(row, use, plain, isInLessons) ?? []);
  const short = all.filter(({ keylatch, ioredis = '' }) => Math.max(keylatch.length, ioredis.length) <= CODE_MAX);
  const { isTelling, ...form } = short.find((one) => one.isTelling) ?? short[0] ?? {};
  return form.keylatch === undefined ? undefined : { name: row.name, ...form };
}

/** Forms with the places of their uses: one for each command that has any, and for each lesson those of its commands. */
export function forms(rows, plain, examples) {
  const shown = rows.filter(({ name }) => !OF_CONNECTION.test(name));
  const usesOf = ({ name }) => examples[name] ?? { uses: [], lessons: [] };
  const commands = shown.flatMap((row) => {
    const { uses, lessons } = usesOf(row);
    return chosen(row, [...lessons, ...uses], plain, lessons.length > 0) ?? [];
  });
  const paths = new Set(rows.flatMap((row) => usesOf(row).lessons.map(([, , path]) => path)));
  const ofLesson = (path) =>
    shown.flatMap((row) => {
      const uses = usesOf(row).lessons.filter(([, , its]) => its === path);
      const form = chosen(row, uses, plain, true);
      return form?.keylatch.includes(' // ') ? form : [];
    });
  return {
    commands,
    lessons: [...paths].sort().flatMap((path) => ofLesson(path).sort((one, other) => one.line - other.line)),
  };
}
