/** Bytes in a link: deflated (raw) and in base64url. Needs no server. */
import { fromBase64Url, toBase64Url } from '../base/base64.js';
import { concat } from '../resp/concat.js';
import { CallerRangeError } from '../base/caller-errors.js';

/** Limit of the unpacked size, which protects the reader's memory from crafted links. */
export const MAX_UNPACKED_BYTES = 1 << 20;

export async function pack(bytes: Uint8Array): Promise<string> {
  return toBase64Url(await collect(streamOf(bytes).pipeThrough(new CompressionStream('deflate-raw'))));
}

/** Throws a RangeError for too much, and another error for anything that was not packed. */
export async function unpack(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return collect(streamOf(fromBase64Url(text)).pipeThrough(new DecompressionStream('deflate-raw')));
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new Blob([bytes as BlobPart]).stream();
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    length += piece.value.length;
    if (length > MAX_UNPACKED_BYTES) throw new CallerRangeError('more than 1 MiB');
    chunks.push(piece.value);
  }
  return concat(chunks);
}
