// Methods of node-redis by command, of those that lessons use: names, and arguments where they are not the command's words in order.
import { quoted } from './examples.mjs';
import { inOrder, pairs } from './words.mjs';

/** One or several: `'a'`, `['a', 'b']`. */
function oneOrMore(words) {
  return words.length === 1 ? quoted(words[0]) : `[${words.map(quoted).join(', ')}]`;
}

const list = (words) => [oneOrMore(words)];
const behindKey = ([key, ...words]) => [quoted(key), oneOrMore(words)];

/** `{ condition: 'NX', expiration: { type: 'PX', value: 5000 } }`; undefined with other options. */
function set([key, text, ...words]) {
  const options = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === 'NX' || word === 'XX') options.push(`condition: '${word}'`);
    else if (/^(?:EX|PX|EXAT|PXAT)$/.test(word))
      options.push(`expiration: { type: '${word}', value: ${words[(at += 1)]} }`);
    else return undefined;
  }
  return [quoted(key), quoted(text), ...(options.length === 0 ? [] : [`{ ${options.join(', ')} }`])];
}

/** `{ score: 120, value: 'ann' }`, or a list of them. */
function zAdd([key, ...words]) {
  const members = words.flatMap((score, index) =>
    index % 2 === 0 ? [`{ score: ${score}, value: ${quoted(words[index + 1] ?? '')} }`] : [],
  );
  if (!words.every((word, index) => index % 2 === 1 || /^-?\d+$/.test(word))) return undefined;
  return [quoted(key), members.length === 1 ? members[0] : `[${members.join(', ')}]`];
}

/** `{ keys: ['lock'], arguments: ['token'] }` */
function script([text, count, ...words]) {
  const quotedAll = (some) => some.map(quoted).join(', ');
  const keys = words.slice(0, Number(count));
  return [quoted(text), `{ keys: [${quotedAll(keys)}], arguments: [${quotedAll(words.slice(Number(count)))}] }`];
}

/** Methods of the command's words in order. */
const PLAIN =
  'get ttl type incr decr ping lRange lMove lRem lIndex zRange zIncrBy zRevRank zScore zCount zCard zRank hGet hLen hIncrBy ' +
  'hSetNX setNX getSet expire pExpire pTTL incrBy decrBy sCard dbSize blMove lPop rPop zRemRangeByScore';

const NAMED = {
  del: list,
  exists: list,
  mGet: (words) => [`[${words.map(quoted).join(', ')}]`],
  rPush: behindKey,
  lPush: behindKey,
  sAdd: behindKey,
  sRem: behindKey,
  zRem: behindKey,
  hmGet: ([key, ...words]) => [quoted(key), `[${words.map(quoted).join(', ')}]`],
  set,
  zAdd,
  mSet: (words) => [pairs(words)],
  mSetNX: (words) => [pairs(words)],
  hSet: ([key, ...words]) => [quoted(key), pairs(words)],
  eval: script,
  evalSha: script,
};

/** By command, the method's name and its arguments. */
export const NODE_REDIS = Object.fromEntries([
  ...PLAIN.split(' ').map((name) => [name.toUpperCase(), { name, args: inOrder }]),
  ...Object.entries(NAMED).map(([name, args]) => [name.toUpperCase(), { name, args }]),
  ['SCRIPT|LOAD', { name: 'scriptLoad', args: inOrder }],
]);
