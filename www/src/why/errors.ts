/** Meaning of an error reply for the keys and the client at that moment. Pure. */

import { findScriptFault } from 'keylatch/hints';
import type { CommandRow } from '../commands/commands.ts';
import { syntaxParts } from '../commands/syntax-parts.ts';
import { type Case, type Explanation, hasOption, timeoutOf } from './case.ts';
import { faultSentence, lineFault } from './line-faults.ts';
import { fenced } from './latches.ts';
import { changed, clockTime, typeName } from './phrases.ts';

/** Types that commands of a group work on. */
const GROUP_TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  bitmap: 'string',
  hyperloglog: 'string',
  list: 'list',
  set: 'set',
  'sorted-set': 'zset',
  geo: 'zset',
  hash: 'hash',
  latch: 'hash',
};

type Rule = readonly [pattern: RegExp, explain: (said: Case, error: string) => string | undefined];

const RULES: readonly Rule[] = [
  [/^WRONGTYPE/, wrongType],
  [
    /^EXECABORT/,
    (said) => `Nothing ran, because a command was refused when it was queued${refused(said)}. MULTI begins anew.`,
  ],
  [
    /^OOM/,
    () =>
      'The keys take more than maxmemory, and the policy evicts none that helps. DEL frees memory; CONFIG SET maxmemory raises the limit; CONFIG SET maxmemory-policy allkeys-lru evicts.',
  ],
  [/^FENCED/, fenced],
  [/\buser_(?:script|function):\d/, placeInScript],
  [
    /^DEADLOCK/,
    () => 'A holder that this request would wait for waits itself for a latch of this owner: neither would ever go on.',
  ],
  [/^NOAUTH/, () => 'A password is set: AUTH with it comes first.'],
  [/^NOPROTO/, () => 'HELLO knows two protocols: 2 and 3.'],
  [/^MISCONF/, () => 'The last save failed, so writes are refused until one succeeds.'],
  [/^BUSYKEY/, () => 'RESTORE replaces a key only with REPLACE.'],
  [
    /only \(P\|S\)SUBSCRIBE/,
    () =>
      'This client is a subscriber, and over RESP2 its connection carries messages only. UNSUBSCRIBE ends that, another client is free, and HELLO 3 before the subscription allows every command.',
  ],
  [/^ERR wrong number of arguments/, ({ row }) => row && `The syntax is ${syntaxLine(row)}`],
  [/not an integer or out of range/, notAnInteger],
  [
    /hash value is not an integer|hash value is not a float/,
    (said) => `The field ${said.args[1] ?? ''} of ${said.key.key} has the value "${fieldValue(said)}".`,
  ],
  [
    /not a valid float/,
    (said) =>
      said.name === 'INCRBYFLOAT' && said.key.value !== undefined
        ? `${said.key.key} has the value "${said.key.value}".`
        : 'A number was expected, such as 1.5 or -2e3.',
  ],
  [
    /would overflow/,
    (said) =>
      `${said.key.key} has the value ${said.key.value ?? 'it has'}; the result would leave the 64 bits of an integer, -9223372036854775808 to 9223372036854775807.`,
  ],
  [
    /^ERR timeout is /,
    (said) =>
      said.name.startsWith('B')
        ? `${timeoutOf(said)} is no timeout, which is in seconds: 0.5 is half a second, 0 waits for ever.`
        : undefined,
  ],
  [/^ERR no such key/, (said) => `${said.key.key} does not exist.`],
  [
    /^ERR index out of range/,
    (said) =>
      `${said.key.key} has ${said.key.size} elements: indices go from 0 to ${said.key.size - 1}, or from -1 back to -${said.key.size}.`,
  ],
  [/DB index is out of range|invalid DB index/, () => 'There are 16 databases, 0 to 15.'],
  [/^ERR invalid expire time/, expireTime],
  [
    /^ERR EXEC without MULTI/,
    () => 'No transaction is open: MULTI begins one. After a refused EXEC it has ended, too.',
  ],
  [/^ERR DISCARD without MULTI/, () => 'No transaction is open: MULTI begins one.'],
  [/^ERR MULTI calls/, () => 'A transaction is open already: EXEC runs it, DISCARD drops it.'],
  [/^ERR WATCH inside MULTI/, () => 'WATCH comes before MULTI: it guards what is read until then.'],
  [/without any password/, () => 'No password is set, so AUTH is not needed.'],
  [/no store to save to/, () => 'The keys of this page are kept by the page itself; File saves them as a file.'],
];

/** The sentence for an error reply, and lines that were probably meant. */
export function explainError(said: Case): Explanation | undefined {
  const error = said.printed.join(' ').replace(/^\(error\) /, '');
  const fault = /^ERR (?:unknown|syntax|unsupported option|value is not|wrong number|.*not a float)/i.test(error)
    ? lineFault(said.text)
    : undefined;
  for (const [pattern, explain] of RULES) {
    if (!pattern.test(error) || (fault && /not an integer|wrong number/.test(error))) continue;
    const text = explain(said, error);
    if (text) return { text, drafts: [] };
  }
  return fault && faultSentence(fault, said.text);
}

function wrongType({ circumstances, row, name }: Case): string | undefined {
  const wanted = GROUP_TYPES[row?.group ?? ''];
  const wrong = circumstances.keys.find(({ type }) => type !== undefined && type !== wanted);
  if (row?.group === 'latch' && !wrong)
    return `${name} works on latches, and a hash with other fields is at ${circumstances.keys[0]?.key ?? 'the key'}.`;
  if (!wrong || !wanted) return undefined;
  const value = wrong.value === undefined ? '' : ` ("${wrong.value}")`;
  return `${name} works on ${typeName(wanted)}, and ${wrong.key} is ${typeName(wrong.type)}${value}. TYPE shows the type, DEL makes way.`;
}

function placeInScript({ circumstances }: Case, error: string): string | undefined {
  const fault = findScriptFault(circumstances.words, error);
  if (!fault) return undefined;
  const column = fault.column === undefined ? '' : `, column ${fault.column}`;
  return `Line ${fault.line}${column} of the script: ${fault.text.trim()}`;
}

function refused({ circumstances }: Case): string {
  return circumstances.refused === undefined ? '' : `: ${circumstances.refused}`;
}

function notAnInteger(said: Case): string | undefined {
  const { key, row, name } = said;
  if (/^(?:INCR|DECR)(?:BY)?$/.test(name) && key.value !== undefined && !isInteger(key.value))
    return `${key.key} has the value "${key.value}", which is no integer. ${name} counts only what is one.`;
  return row && `A whole number of at most 64 bits was expected: ${syntaxLine(row)}`;
}

function syntaxLine(row: CommandRow): string {
  const { name, syntax } = syntaxParts(row);
  return name + syntax;
}

function isInteger(text: string): boolean {
  return /^(?:0|-?[1-9]\d{0,18})$/.test(text);
}

function fieldValue({ key, args }: Case): string {
  return key.fields.find(({ name }) => name === args[1])?.value ?? '';
}

function expireTime(said: Case): string {
  const isInstant = /AT$/.test(said.name) || hasOption(said, 'EXAT') || hasOption(said, 'PXAT');
  return isInstant
    ? `The deadline must be a positive instant since 1970; now it is ${Math.floor(said.nowMs / 1000)} seconds.`
    : 'The time must be positive, and the deadline must fit into 64 bits of milliseconds.';
}

/** EXEC replied nil: the change of a watched key. */
export function execRefused({ circumstances, nowMs }: Case): string {
  const { watched } = circumstances;
  if (!watched) return 'A watched key was changed after WATCH, so nothing ran. Read again, and try again.';
  const key = watched.key === '' ? 'A watched key' : `The watched key ${watched.key}`;
  return `${key} ${changed(watched, nowMs)}, at ${clockTime(watched.atMs)}. Nothing ran: read again, and try again.`;
}
