/** Bodies of requests of `fetch`, up to a limit: a body is held in memory before its command runs. */
import { BodyTooLarge } from './exchange.js';
import { concat } from '../../resp/concat.js';

/** Reads a body. A longer one is neither read to its end nor kept. */
export async function bodyBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const announced = request.headers.get('content-length');
  if (Number(announced ?? 0) > maxBytes) throw new BodyTooLarge(maxBytes);
  if (!request.body) return new Uint8Array();
  // No platform passes on more than was announced, and pieces take several times as long.
  if (announced !== null) return new Uint8Array(await request.arrayBuffer());
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    length += piece.value.length;
    if (length > maxBytes) {
      // The rest is not waited for.
      reader.cancel().catch(() => {});
      throw new BodyTooLarge(maxBytes);
    }
    pieces.push(piece.value);
  }
  return concat(pieces);
}
