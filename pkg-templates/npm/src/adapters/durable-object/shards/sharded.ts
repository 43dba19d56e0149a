/**
 * Requests of the REST protocol to a namespace of several shards, in the Worker. A request for one shard is passed on as it is; a
 * pipeline for several is divided, and its replies come in the order of its commands.
 */
import { encodeError } from '../../../resp/encode.js';
import { splitReplies } from '../../../resp/split-replies.js';
import { concat } from '../../../resp/concat.js';
import { type Command, commandOf, commandsOf, nameOf, pathCommand, segmentBytes } from '../../upstash/commands.js';
import { Failure } from '../../upstash/exchange.js';
import { answersIn, type Form, formOf, responseOf } from '../../upstash/form.js';
import { jsonIn } from '../../upstash/json-body.js';
import { isOfEvents } from '../channels.js';
import { requestOf, type WireRequest, type WireResponse } from '../wire.js';
import { groupsOf, type Part, type Plan, planOf } from './fan-out.js';
import type { NamespaceObjects } from './objects.js';
import { type Route, routeOf } from './routes.js';
import { CROSSSLOT, shardOf, slotOf } from './slots.js';

const SHARD = 'shard';

/** Replies of a shard, or why it gave none. */
type Replies = readonly Uint8Array[] | Failure;

export class ShardedRequest {
  readonly #wire: WireRequest;
  readonly #objects: NamespaceObjects;
  readonly #fansOut: boolean;
  /** Sync tokens of the shards that ran something. */
  readonly #tokens: string[] = [];

  constructor(wire: WireRequest, objects: NamespaceObjects, fansOut: boolean) {
    this.#wire = wire;
    this.#objects = objects;
    this.#fansOut = fansOut;
  }

  async response(): Promise<WireResponse> {
    const { path, method } = this.#wire;
    const [kind = '', ...segments] = path.slice(1).replace(/\/$/, '').split('/');
    switch (kind.toLowerCase()) {
      case '':
        // The object says what is missing.
        if (method === 'GET' || method === 'HEAD') return this.#passed(0);
        return this.#single(commandOf(this.#json()));
      case 'pipeline':
        return this.#pipeline(commandsOf(this.#json()));
      case 'multi-exec':
        return this.#passed(this.#shardOfTransaction(commandsOf(this.#json())));
      case 'subscribe':
        return this.#passed(this.#shardOfChannel(segments));
      case 'psubscribe':
      case 'monitor':
      case 'snapshot':
      case 'effects':
      case 'metrics':
        return this.#passed(this.#namedShard(kind));
      default:
        return this.#single(await pathCommand(requestOf(this.#wire), [kind, ...segments], Infinity));
    }
  }

  #json(): unknown {
    return jsonIn(this.#wire.body ?? new Uint8Array());
  }

  #passed(shard: number): Promise<WireResponse> {
    return this.#objects.rest(shard, this.#wire);
  }

  async #single(command: Command): Promise<WireResponse> {
    const route = routeOf(command);
    const shard = this.#shardOfRoute(route);
    if (shard !== undefined) return this.#passed(shard);
    const form = formOf(requestOf(this.#wire), true);
    const plan = this.#planOf(command, route);
    const [reply] = await this.#run([plan], (failure) => {
      throw failure;
    });
    return this.#answer([reply as Uint8Array], form);
  }

  async #pipeline(commands: readonly Command[]): Promise<WireResponse> {
    const routes = commands.map(routeOf);
    const shards = new Set(routes.map((route) => this.#shardOfRoute(route)));
    const [shard] = shards.size === 0 ? [0] : shards;
    if (shard !== undefined && shards.size <= 1) return this.#passed(shard);
    const form = formOf(requestOf(this.#wire), false);
    const plans = commands.map((command, index) => this.#planOf(command, routes[index] as Route));
    return this.#answer(await this.#run(plans, ({ message }) => encodeError(message)), form);
  }

  /** The one shard of a route; undefined without one. */
  #shardOfRoute(route: Route): number | undefined {
    if (route.kind === 'any') return 0;
    return route.kind === 'slot' ? shardOf(route.slot, this.#objects.count) : undefined;
  }

  #planOf(command: Command, route: Route): Plan {
    const { count } = this.#objects;
    const shard = this.#shardOfRoute(route);
    if (shard !== undefined) return { parts: [{ shard, command }], join: ([reply]) => reply as Uint8Array };
    if (route.kind === 'several' && this.#fansOut) return planOf(command, count);
    const reply = route.kind === 'reply' ? route.reply : encodeError(refusalOf(command, route));
    return { parts: [], join: () => reply };
  }

  /** Replies to plans, each shard's parts in their order. `failed` gives the reply of a shard that gave none. */
  async #run(plans: readonly Plan[], failed: (failure: Failure) => Uint8Array): Promise<Uint8Array[]> {
    const byShard = groupsOf(
      plans.flatMap(({ parts }) => parts),
      ({ shard }) => shard,
    );
    const replies = new Map<Part, Uint8Array>();
    const run = async ([shard, parts]: [number, Part[]]): Promise<void> => {
      const found = await this.#repliesOf(shard, parts);
      for (const [at, part] of parts.entries())
        replies.set(part, found instanceof Failure ? failed(found) : (found[at] as Uint8Array));
    };
    await Promise.all(Array.from(byShard, run));
    return plans.map(({ parts, join }) => join(parts.map((part) => replies.get(part) as Uint8Array)));
  }

  async #repliesOf(shard: number, parts: readonly Part[]): Promise<Replies> {
    const { access, headers = {} } = this.#wire;
    const resp = headers['upstash-response-format']?.toLowerCase() === 'resp3' ? 'resp3' : 'resp2';
    const { 'upstash-encoding': _encoding, ...kept } = headers;
    const wire = {
      method: 'POST',
      path: '/pipeline',
      access,
      headers: { ...kept, 'upstash-response-format': resp },
      commands: parts.map(({ command }) => command),
    };
    try {
      const { status, headers: answered, body } = await this.#objects.rest(shard, wire);
      if (status !== 200) return new Failure(status, JSON.parse(String(body)).error, answered);
      this.#tokens.push(`${shard}:${answered['upstash-sync-token']}`);
      return splitReplies(body as Uint8Array);
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  }

  #answer(replies: readonly Uint8Array[], form: Form): WireResponse {
    const headers = { 'upstash-sync-token': this.#tokens.sort().join() };
    if (form.resp !== undefined)
      return {
        status: 200,
        headers: { ...headers, 'content-type': 'application/octet-stream' },
        body: concat(replies),
      };
    const { status, body } = responseOf(answersIn(replies, form), form);
    return { status, headers: { ...headers, 'content-type': 'application/json' }, body };
  }

  /** The shard of a transaction, of which all keys are in one slot. */
  #shardOfTransaction(commands: readonly Command[]): number {
    const slots = new Set<number>();
    for (const command of commands) {
      const route = routeOf(command);
      if (route.kind === 'slot') slots.add(route.slot);
      else if (route.kind !== 'any') throw new Failure(400, refusalInTransaction(command, route));
    }
    if (slots.size > 1) throw new Failure(400, CROSSSLOT);
    const [slot] = slots;
    return slot === undefined ? 0 : shardOf(slot, this.#objects.count);
  }

  #shardOfChannel(segments: readonly string[]): number {
    if (segments.length === 0) return 0;
    const channel = segmentBytes(segments.join('/'));
    return isOfEvents(channel) ? this.#namedShard('subscribe') : shardOf(slotOf(channel), this.#objects.count);
  }

  /** The shard that the parameter of a request names, which is about one of them. */
  #namedShard(kind: string): number {
    const text = new Map(this.#wire.query).get(SHARD) ?? '';
    const { count } = this.#objects;
    if (/^\d{1,2}$/.test(text) && Number(text) < count) return Number(text);
    throw new Failure(400, `ERR /${kind} is about one shard of ${count}: name it by ?shard=0 to ?shard=${count - 1}`);
  }
}

/** Why a command runs nowhere. */
function refusalOf(command: Command, route: Route): string {
  if (route.kind !== 'several') return CROSSSLOT;
  const name = nameOf(command);
  return route.hasKeys
    ? `${CROSSSLOT}; the option fanOut of keylatchFetch runs ${name} on all of them`
    : `ERR ${name} is about all shards of the namespace; the option fanOut of keylatchFetch runs it on each`;
}

function refusalInTransaction(command: Command, route: Route): string {
  if (route.kind === 'cross' || (route.kind === 'several' && route.hasKeys)) return CROSSSLOT;
  return `ERR ${nameOf(command)} is not of one slot, as all commands of a transaction are`;
}
