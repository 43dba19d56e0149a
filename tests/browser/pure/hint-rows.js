// Rows for the hint table: grammar shapes instead of commands, so that the table stays valid when rows change.
const leaf =
  (type) =>
  (name, more = {}) => ({ name, type, ...more });

export const key = leaf('key');
export const text = leaf('string');
export const integer = leaf('integer');
export const double = leaf('double');
export const token = (name, more = {}) => ({ name: name.toLowerCase(), type: 'pure-token', token: name, ...more });
export const block = (parts, more = {}) => ({ name: 'block', type: 'block', arguments: parts, ...more });
export const oneof = (parts, more = {}) => ({ name: 'oneof', type: 'oneof', arguments: parts, ...more });
const optional = { optional: true };

const expiry = oneof(
  [integer('seconds', { token: 'EX' }), integer('milliseconds', { token: 'PX' }), token('KEEPTTL')],
  optional,
);
const pair = block([key('key'), text('value')], { multiple: true });

const grammars = {
  GET: [key('key')],
  GETDEL: [key('key')],
  SETEX: [key('key'), integer('seconds'), text('value')],
  SET: [
    key('key'),
    text('value'),
    oneof([token('NX'), token('XX'), text('comparison', { token: 'IFEQ' })], optional),
    token('GET', optional),
    expiry,
  ],
  MGET: [key('key', { multiple: true })],
  MSET: [pair],
  MSETEX: [integer('numkeys'), pair, oneof([token('NX'), token('XX')], optional), expiry],
  SCAN: [
    integer('cursor'),
    { name: 'pattern', type: 'pattern', token: 'MATCH', optional: true },
    integer('count', { token: 'COUNT', optional: true }),
    text('type', { token: 'TYPE', optional: true }),
  ],
  MOVE: [key('from'), key('to'), oneof([token('LEFT'), token('RIGHT')]), oneof([token('LEFT'), token('RIGHT')])],
  PICK: [key('key'), block([integer('count'), token('WITHSCORES', optional)], optional)],
  FIELDS: [
    key('key'),
    block([text('encoding'), integer('offset')], { token: 'GET', optional: true, multiple: true, multipleToken: true }),
  ],
  NEAR: [
    key('key'),
    double('radius'),
    token('WITHDIST', optional),
    block([integer('count'), token('ANY', optional)], { token: 'COUNT', optional: true }),
    oneof([token('ASC'), token('DESC')], optional),
  ],
  ADD: [
    key('key'),
    oneof([token('NX'), token('XX')], optional),
    token('CH', optional),
    block([double('score'), text('member')], { multiple: true }),
  ],
  PING: [text('message', optional)],
  OBJECT: [],
  'OBJECT|ENCODING': [key('key')],
  'OBJECT|FREQ': [key('key')],
  COMMAND: [],
  'COMMAND|COUNT': [],
  'COMMAND|DOCS': [text('command-name', { optional: true, multiple: true })],
};

const arity = { COMMAND: -1, OBJECT: -2 };

export const rows = new Map(
  Object.entries(grammars).map(([name, grammar]) => [name, { name, arity: arity[name] ?? -1, arguments: grammar }]),
);
