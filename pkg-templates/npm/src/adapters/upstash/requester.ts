/** Requester of @upstash/redis: requests run on the engine without HTTP. */
import { onAbort, type AbortSignalLike } from '../../base/abort.js';
import { ReplyError } from '../../base/errors.js';
import { firstReply, jsonOf, type RestValue } from './json.js';
import { commandOf, commandsOf, RefusedRequest, runnerOf, subscribe, type UpstashDatabase } from './run.js';

/** Request of a client of @upstash/redis. */
export interface UpstashClientRequest {
  readonly path?: string[];
  readonly body?: unknown;
  readonly onMessage?: (data: string) => void;
  readonly isStreaming?: boolean;
  readonly signal?: AbortSignalLike;
}

/** `Requester` of @upstash/redis, for its constructor: `new Redis(upstashRequester(db))`. */
export interface UpstashRequester {
  readYourWrites?: boolean;
  upstashSyncToken?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the caller declares the result, as it does in @upstash/redis.
  request<Result = any>(request: UpstashClientRequest): Promise<{ result?: Result; error?: string }>;
}

type Answer = { result: unknown } | { error: string };

/** A reply as an item of a response. */
export function answerOf(value: RestValue, inBase64: boolean): Answer {
  return value instanceof ReplyError ? { error: value.message } : { result: jsonOf(value, inBase64) };
}

/**
 * A requester on a database of this process. Commands, pipelines, transactions, subscriptions and automatic
 * deserialization work as with HTTP; a failed command throws the client's UpstashError.
 */
export function upstashRequester(db: UpstashDatabase): UpstashRequester {
  const runner = runnerOf(db);
  const request = async ({ path = [], body, onMessage, signal }: UpstashClientRequest): Promise<unknown> => {
    if (signal?.aborted) return { result: signal.reason ?? 'Aborted' };
    const [kind, ...names] = path;
    if (kind === 'pipeline') {
      return runner.pipeline(commandsOf(body)).map((bytes) => answerOf(firstReply(bytes), false));
    }
    if (kind === 'multi-exec') return runner.transaction(commandsOf(body)).map((reply) => answerOf(reply, false));
    if (kind === 'subscribe' || kind === 'psubscribe') {
      const ends = names.map((name) => subscribe(db, kind, name, (line) => onMessage?.(line)));
      onAbort(signal, () => ends.forEach((end) => end()));
      return { result: 1 };
    }
    if (kind !== undefined) throw new RefusedRequest(`ERR /${path.join('/')} is not available without HTTP`);
    const [reply] = runner.pipeline([commandOf(body)]);
    return answerOf(firstReply(reply as Uint8Array), false);
  };
  return { readYourWrites: true, upstashSyncToken: '', request: request as UpstashRequester['request'] };
}
