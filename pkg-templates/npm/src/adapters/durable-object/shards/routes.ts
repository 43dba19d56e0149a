/** Where a command runs in a namespace of several shards, by its keys or its channel. */
import { keyIndices } from '../../../client/key-positions.js';
import { encodeInteger } from '../../../resp/join-replies.js';
import { type Command, nameOf, type Word, withSubcommand } from '../../upstash/commands.js';
import { WITH_CHANNEL } from '../channels.js';
import { isAboutAll, isDivisible } from './fan-out.js';
import { slotOf } from './slots.js';

export type Route =
  /** On the shard of a slot. */
  | { readonly kind: 'slot'; readonly slot: number }
  /** On any shard: the command touches neither keys nor channels. */
  | { readonly kind: 'any' }
  /** On several shards, if that is wanted. `hasKeys`: on those of its keys, which are in several slots. */
  | { readonly kind: 'several'; readonly hasKeys: boolean }
  /** Nowhere: its keys are in several slots. */
  | { readonly kind: 'cross' }
  /** Nowhere: the reply is known. */
  | { readonly kind: 'reply'; readonly reply: Uint8Array };

const KEYSLOT = 'CLUSTER KEYSLOT';
const KEYSLOT_WORDS = 3;

export function routeOf(command: Command): Route {
  const name = nameOf(command);
  if (name === 'CLUSTER' && withSubcommand(command) === KEYSLOT && command.length === KEYSLOT_WORDS)
    return { kind: 'reply', reply: encodeInteger(slotOf(command[2] as Word)) };
  if (isAboutAll(command)) return { kind: 'several', hasKeys: false };
  const words = WITH_CHANNEL.includes(name) ? command.slice(1, 2) : keysOf(command);
  const [slot, ...others] = new Set(words.map(slotOf));
  if (slot === undefined) return { kind: 'any' };
  if (others.length === 0) return { kind: 'slot', slot };
  return isDivisible(command) ? { kind: 'several', hasKeys: true } : { kind: 'cross' };
}

function keysOf(command: Command): Word[] {
  return keyIndices(command).map((index) => command[index] ?? '');
}
