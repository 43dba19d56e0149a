/**
 * The rules of a connection to one shard: beside those of the namespace, commands of other shards are `MOVED`, and the keys of a
 * transaction are in one slot. Commands about all keys are about those of the shard, as on a node of Redis Cluster.
 */
import type { Access } from '../../upstash/access.js';
import { type Command, nameOf, type Rules, type Word } from '../../upstash/commands.js';
import { isOfEvents } from '../channels.js';
import { routeOf } from './routes.js';
import { CROSSSLOT, type Shard, shardOf, slotOf } from './slots.js';

const SUBSCRIBES = ['SUBSCRIBE', 'SSUBSCRIBE'];
/** Commands that end a transaction. */
const ENDS = ['EXEC', 'DISCARD', 'RESET'];

export class ShardRules implements Rules {
  readonly #rules: Rules;
  readonly #shard: Shard;
  readonly #address: string;
  #isInTransaction = false;
  /** The slot of the transaction's keys so far. */
  #slot: number | undefined;

  /** `address`: where sockets of a slot are opened, but for its number. */
  constructor(rules: Rules, shard: Shard, address: string) {
    this.#rules = rules;
    this.#shard = shard;
    this.#address = address;
  }

  command(access: Access, name: string, command: Command): string | undefined {
    this.#followTransaction(name);
    return this.#rules.command(access, name, command) ?? this.#refusalOf(name, command);
  }

  channel(access: Access, channel: string, isPattern: boolean): string | undefined {
    return this.#rules.channel(access, channel, isPattern);
  }

  answer(command: Command): Uint8Array | undefined {
    if (nameOf(command) !== 'CLUSTER' || this.#isInTransaction) return undefined;
    const route = routeOf(command);
    return route.kind === 'reply' ? route.reply : undefined;
  }

  #followTransaction(name: string): void {
    if (name === 'MULTI') this.#isInTransaction = true;
    else if (ENDS.includes(name)) this.#isInTransaction = false;
    else return;
    this.#slot = undefined;
  }

  #refusalOf(name: string, command: Command): string | undefined {
    if (SUBSCRIBES.includes(name)) return this.#refusalOfChannels(command.slice(1));
    const route = routeOf(command);
    if (route.kind === 'cross' || (route.kind === 'several' && route.hasKeys)) return CROSSSLOT;
    if (route.kind !== 'slot') return undefined;
    return this.#moved(route.slot) ?? this.#refusalInTransaction(route.slot);
  }

  #refusalOfChannels(channels: readonly Word[]): string | undefined {
    return channels
      .filter((channel) => !isOfEvents(channel))
      .map((channel) => this.#moved(slotOf(channel)))
      .find((refusal) => refusal !== undefined);
  }

  #moved(slot: number): string | undefined {
    const { index, count } = this.#shard;
    return shardOf(slot, count) === index ? undefined : `MOVED ${slot} ${this.#address}/slot/${slot}`;
  }

  #refusalInTransaction(slot: number): string | undefined {
    if (!this.#isInTransaction) return undefined;
    this.#slot ??= slot;
    return this.#slot === slot ? undefined : CROSSSLOT;
  }
}
