/** Requests by RPC: the method `resp` of a Durable Object, in another Worker or class. */
import type { Argument } from '../base/argument.js';
import { CallerTypeError } from '../base/caller-errors.js';
import { ReplyError } from '../base/errors.js';
import { ClientState } from '../client/shared/state.js';
import { encodeRequests } from '../resp/encode.js';
import { decodeReplies } from '../resp/reply.js';
import { BatchLine, type BatchCall, type BatchSender, repliesIn } from './batches.js';
import { Overloaded } from './errors.js';
import { CallFailure } from './failure.js';
import type { CallLimits, ChannelSource, Line, Transport } from './transport.js';

/** Part of the binding of a Durable Object namespace that requests need. */
export interface ObjectBinding {
  /** Id of an object by its name. */
  idFromName(name: string): unknown;
  /** A stub of the object. */
  get(id: never): unknown;
}

interface RespStub {
  resp(requests: Uint8Array): Promise<Uint8Array>;
}

const NO_SUBSCRIPTIONS = 'a binding carries no subscriptions: connect to the address of the Worker for them';

/** @internal */
export class RpcTransport implements Transport {
  readonly #binding: ObjectBinding;
  readonly #namespace: string;
  readonly #options: CallLimits;

  constructor(binding: ObjectBinding, namespace: string, options: CallLimits) {
    this.#binding = binding;
    this.#namespace = namespace;
    this.#options = options;
  }

  line(state: ClientState): Line {
    return new BatchLine(new RpcSender(() => this.#stub(), state), this.#options);
  }

  waitingLine(db: number): Line {
    return this.line(new ClientState({ db }));
  }

  channels(): ChannelSource {
    const begin = (): Promise<never> => Promise.reject(new CallerTypeError(NO_SUBSCRIPTIONS));
    return { begin, end: () => {} };
  }

  close(): void {}

  /** A stub that failed is of no more use, so each request has its own. */
  #stub(): RespStub {
    return this.#binding.get(this.#binding.idFromName(this.#namespace) as never) as RespStub;
  }
}

class RpcSender implements BatchSender {
  readonly hasIds = false;
  readonly #stub: () => RespStub;
  readonly #state: ClientState;

  constructor(stub: () => RespStub, state: ClientState) {
    this.#stub = stub;
    this.#state = state;
  }

  isAlone(): boolean {
    return false;
  }

  async call({ kind, commands }: BatchCall): Promise<readonly Uint8Array[]> {
    // The object has a client of its own for each request.
    const setup = this.#state.setup();
    const sent: Argument[][] = [...setup, ...whole(kind, commands)].map((argv) => [...argv]);
    const bytes = await this.#answer(encodeRequests(sent));
    const replies = repliesIn(bytes, sent.length);
    for (const reply of replies.slice(0, setup.length)) {
      const [value] = decodeReplies(reply);
      if (value instanceof ReplyError) throw new CallFailure('refused', value);
    }
    return replies.slice(setup.length);
  }

  async #answer(requests: Uint8Array): Promise<Uint8Array> {
    try {
      return await this.#stub().resp(requests);
    } catch (cause) {
      const { overloaded, message } = cause as { readonly overloaded?: boolean; readonly message?: string };
      const isOverloaded = overloaded === true || /^(?:Error: )?OVERLOADED /.test(message ?? '');
      throw isOverloaded ? new CallFailure('refused', new Overloaded(message ?? '')) : new CallFailure('lost', cause);
    }
  }
}

function whole(kind: BatchCall['kind'], commands: BatchCall['commands']): BatchCall['commands'] {
  return kind === 'transaction' ? [['MULTI'], ...commands, ['EXEC']] : commands;
}
