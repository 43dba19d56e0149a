/** Commands that may wait: how long, and their form for a shorter time. Pure. */
import { argumentText, isBytes, type Argument } from '../base/argument.js';
import { wordOf } from '../client/key-specs.js';
import { textOf } from '../resp/reply.js';

export interface WaitTime {
  /** Longest time of the command; Infinity without one. */
  readonly ms: number;
  /** The command with another time. */
  within(ms: number): readonly Argument[];
  /** Whether a reply says that the time was over without a result. */
  isOver(reply: unknown): boolean;
}

/** Place of the time among the arguments, and its unit in milliseconds. */
interface TimeArgument {
  readonly index: number;
  readonly unitMs: number;
}

function timeOf(argv: readonly Argument[]): TimeArgument | undefined {
  const name = wordOf(argv[0]);
  if (name.startsWith('WAIT')) return { index: argv.length - 1, unitMs: 1 };
  if (/^B(?:LM|ZM)POP$/.test(name)) return { index: 1, unitMs: 1000 };
  if (!name.startsWith('LATCH.')) return { index: argv.length - 1, unitMs: 1000 };
  const option = argv.findLastIndex((word, index) => index > 0 && wordOf(word) === 'WAIT');
  return option === -1 ? undefined : { index: option + 1, unitMs: 1 };
}

/** The wait of a command; undefined for one that answers at once, and for a time that the server will refuse. */
export function waitOf(argv: readonly Argument[]): WaitTime | undefined {
  const found = timeOf(argv);
  const time = found && argv[found.index];
  if (found === undefined || time === undefined) return undefined;
  const text = isBytes(time) ? textOf(time) : argumentText(time);
  const units = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  // A latch asks for no wait with 0, other commands for one without an end.
  const isLatch = wordOf(argv[0]).startsWith('LATCH.');
  if (!(units >= 0) || (isLatch && units === 0)) return undefined;
  return {
    ms: units === 0 ? Infinity : units * found.unitMs,
    within: (ms) => argv.with(found.index, Math.ceil(Math.max(ms, 1)) / found.unitMs),
    isOver: (reply) => isOver(wordOf(argv[0]), reply),
  };
}

function isOver(name: string, reply: unknown): boolean {
  const [first] = Array.isArray(reply) ? (reply as unknown[]) : [reply];
  if (name === 'LATCH.ONCE') return String(first) === 'busy';
  if (name === 'LATCH.ARRIVE') return Number(first) !== 1;
  return reply === null;
}
