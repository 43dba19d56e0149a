/** The objects of a namespace, one for each of its shards, as the Worker calls them. */
import { Failure } from '../../upstash/exchange.js';
import { type KeylatchNamespace, type Placement, stubOf } from '../placement.js';
import { failureOf } from '../target.js';
import { UNCONFIRMED, type WireRequest, type WireResponse } from '../wire.js';
import { objectName, type Shard } from './slots.js';
import type { ShardClaim } from './table.js';

interface KeylatchStub {
  rest(request: WireRequest): Promise<WireResponse>;
  claim(shard: ShardClaim): Promise<string | undefined>;
  fetch(request: Request): Promise<Response>;
}

/** Header by which an upgrade says for which shard it is. */
const SHARD = 'keylatch-shard';

export class NamespaceObjects {
  readonly count: number;
  readonly #binding: KeylatchNamespace;
  readonly #placement: Placement;
  readonly #name: string;

  constructor(binding: KeylatchNamespace, placement: Placement, count: number, name: string) {
    this.#binding = binding;
    this.#placement = placement;
    this.count = count;
    this.#name = name;
  }

  /** The response of a shard to a request. */
  rest(index: number, wire: WireRequest): Promise<WireResponse> {
    return this.#confirmed(index, (shard) => this.#stub(index).rest(shard === undefined ? wire : { ...wire, shard }));
  }

  /** The response of an object, whatever the number of shards is. */
  reshard(index: number, wire: WireRequest): Promise<WireResponse> {
    return this.#answer(index, this.#stub(index).rest(wire));
  }

  /** The response of a shard to an upgrade with these headers. */
  upgrade(index: number, headers: Readonly<Record<string, string>>): Promise<Response> {
    return this.#confirmed(index, (shard) => {
      const own = shard === undefined ? headers : { ...headers, [SHARD]: JSON.stringify(shard) };
      return this.#stub(index).fetch(new Request('https://keylatch/', { headers: own }));
    });
  }

  /** Sends once more what a new object has not answered, when the first shard has confirmed their number. */
  async #confirmed<R extends { readonly status: number }>(
    index: number,
    send: (shard: ShardClaim | undefined) => Promise<R>,
  ): Promise<R> {
    const shard: Shard | undefined = this.count === 1 ? undefined : { index, count: this.count };
    const response = await this.#answer(index, send(shard));
    if (shard === undefined || response.status !== UNCONFIRMED) return response;
    const refusal = await this.#answer(0, this.#stub(0).claim({ index: 0, count: this.count }));
    if (refusal !== undefined) throw new Failure(409, refusal);
    return this.#answer(index, send({ ...shard, isConfirmed: true }));
  }

  #answer<T>(index: number, sent: Promise<T>): Promise<T> {
    return sent.catch((cause) => {
      throw failureOf(objectName(this.#name, index), cause);
    });
  }

  #stub(index: number): KeylatchStub {
    return stubOf(this.#binding, this.#placement, objectName(this.#name, index)) as KeylatchStub;
  }
}

/** The shard that an upgrade is for; undefined if its namespace has no others. */
export function shardOfUpgrade(headers: Headers): ShardClaim | undefined {
  const text = headers.get(SHARD);
  return text === null ? undefined : JSON.parse(text);
}
