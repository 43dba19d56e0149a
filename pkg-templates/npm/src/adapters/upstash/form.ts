/** The form in which a client wants its replies, and responses in JSON made of replies in RESP. */
import { decodeReplies } from '../../resp/reply.js';
import { Failure, type RestRequest } from './exchange.js';
import { type Answer, answerOf, type RestReply } from './json.js';

export interface Form {
  readonly inBase64: boolean;
  /** Version of RESP; undefined for JSON. */
  readonly resp: 2 | 3 | undefined;
  /** One command: its reply alone, with status 400 for an error. */
  readonly isSingle: boolean;
}

export function formOf(request: RestRequest, isSingle: boolean): Form {
  const format = request.header('upstash-response-format')?.toLowerCase();
  const resp = format === 'resp2' ? 2 : format === 'resp3' ? 3 : undefined;
  if (format !== undefined && format !== 'json' && resp === undefined)
    throw new Failure(400, `ERR unknown response format '${format}': it is json, resp2 or resp3`);
  const inBase64 = request.header('upstash-encoding')?.toLowerCase() === 'base64';
  if (inBase64 && resp !== undefined)
    throw new Failure(400, `ERR ${format} responses cannot be in base64: send one of both headers`);
  return { inBase64, resp, isSingle };
}

/** Replies of bytes in RESP2; strings are bytes where the answer is to be in base64. */
export function repliesIn(bytes: Uint8Array, { inBase64 }: Form): RestReply[] {
  return inBase64 ? decodeReplies(bytes, { buffer: true }) : decodeReplies(bytes);
}

/** Content of a response: an answer, or a list of them. */
export function contentOf(answers: readonly Answer[], { isSingle }: Form): unknown {
  return isSingle ? answers[0] : answers;
}

/** Answers of replies in RESP2. */
export function answersIn(replies: readonly Uint8Array[], form: Form): Answer[] {
  return replies.map((bytes) => answerOf(repliesIn(bytes, form)[0] ?? null, form.inBase64));
}

/** Status and body of a response in JSON. */
export function responseOf(answers: readonly Answer[], form: Form): { readonly status: number; readonly body: string } {
  const content = contentOf(answers, form);
  const status = form.isSingle && 'error' in (content as Answer) ? 400 : 200;
  return { status, body: JSON.stringify(content) };
}
