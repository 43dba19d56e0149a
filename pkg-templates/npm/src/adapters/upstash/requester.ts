/** Requester of @upstash/redis: requests run on the engine without HTTP. */
import { onAbort, type AbortSignalLike } from '../../base/abort.js';
import { decodeReplies } from '../../resp/reply.js';
import {
  type Command,
  commandOf,
  commandsOf,
  protocolRefusalOf,
  refusalOfAny,
  RefusedRequest,
  waits,
} from './commands.js';
import { subscription } from './events.js';
import { answerOf, type Answer, type RestReply } from './json.js';
import type { Runner } from './run.js';
import { runnerOf, type UpstashDatabase } from './runners.js';

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

/** The answer of one command, which may wait as long as it says. */
function answered(runner: Runner, command: Command): Answer | Promise<Answer> {
  const refusal = protocolRefusalOf(command);
  if (refusal !== undefined) return { error: refusal };
  if (!waits(command)) return answerOf(runner.reply(command, false), false);
  return runner.waiting(command).reply.then((bytes) => answerOf(decodeReplies(bytes)[0] ?? null, false));
}

/** Answers of commands one after another. Without waiting ones nothing runs between them. */
async function allAnswered(runner: Runner, commands: readonly Command[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const command of commands) {
    const answer = answered(runner, command);
    answers.push(answer instanceof Promise ? await answer : answer);
  }
  return answers;
}

function transacted(runner: Runner, commands: readonly Command[]): Answer[] {
  const refusal = refusalOfAny(commands, protocolRefusalOf);
  if (refusal !== undefined) throw new RefusedRequest(refusal);
  const [replies] = decodeReplies(runner.transactionBytes(commands));
  return (replies as RestReply[]).map((reply) => answerOf(reply, false));
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
    if (kind === 'pipeline') return allAnswered(runner, commandsOf(body));
    if (kind === 'multi-exec') return transacted(runner, commandsOf(body));
    if (kind === 'subscribe' || kind === 'psubscribe') {
      const ends = names.map((name) => subscription(runner.database, kind, name)((line) => onMessage?.(line)));
      onAbort(signal, () => ends.forEach((end) => end()));
      return { result: 1 };
    }
    if (kind !== undefined) throw new RefusedRequest(`ERR /${path.join('/')} is not available without HTTP`);
    return answered(runner, commandOf(body));
  };
  return { readYourWrites: true, upstashSyncToken: '', request: request as UpstashRequester['request'] };
}
