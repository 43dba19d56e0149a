/**
 * The reply of a request with an id, at a key of its own: a repeated request has the same reply and no second effect. A digest
 * of the token and the commands stands in front of it.
 */
import { Failure } from './exchange.js';
import type { Command } from './commands.js';
import type { Runner } from './run.js';
import { concat } from '../../resp/concat.js';
import { encodeRequests } from '../../resp/encode.js';
import { Encoder } from '../../base/encoders.js';

const KEY = 'keylatch:reply:';
const KEPT_MS = 120_000;
const ID_CHARS_MAX = 128;
/** Bytes of SHA-256. */
const DIGEST_BYTES = 32;
const encoder = /* @__PURE__ */ new Encoder();

/** The id of a request; undefined without one. */
export function requestIdOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.length > ID_CHARS_MAX || !/^[\x21-\x7e]+$/.test(text))
    throw new Failure(400, `ERR a request id has 1 to ${ID_CHARS_MAX} printable characters, without blanks`);
  return text;
}

/** Digest of commands and of their owner: a request of another one cannot ask for the reply. */
export async function digestOf(owner: string, commands: readonly Command[]): Promise<Uint8Array> {
  const bytes = concat([encoder.encode(`${owner}\n`), encodeRequests(commands)]);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as BufferSource));
}

export class KeptReply {
  readonly key: string;
  readonly digest: Uint8Array;
  readonly #runner: Runner;

  /** `index` is the place of a command in its request. */
  constructor(runner: Runner, id: string, index: number, digest: Uint8Array) {
    this.#runner = runner;
    this.key = `${KEY}${id}${index === 0 ? '' : `:${index}`}`;
    this.digest = digest;
  }

  /** The reply, if it is known. Throws Failure if the id was that of another request. */
  found(): Uint8Array | undefined {
    const kept = this.#runner.reply(['GET', this.key], true);
    if (!(kept instanceof Uint8Array)) return undefined;
    if (kept.length < DIGEST_BYTES) throw foreign();
    this.refuseForeign(kept);
    return kept.slice(DIGEST_BYTES);
  }

  /** Throws Failure unless a digest is that of this request. */
  refuseForeign(digest: Uint8Array): void {
    if (!this.digest.every((byte, at) => byte === digest[at])) throw foreign();
  }

  keep(reply: Uint8Array): void {
    this.#runner.reply(['SET', this.key, concat([this.digest, reply]), 'PX', String(KEPT_MS)], true);
  }
}

function foreign(): Failure {
  return new Failure(409, 'ERR this request id belongs to a request with another token or body');
}
