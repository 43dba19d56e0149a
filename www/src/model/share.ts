/**
 * Sessions in a link: `#v1=` and the text, deflated (raw) and in base64url. Needs no server, so documentation can
 * create such links by itself.
 */

const MARK = 'v1=';
/** Limit of the unpacked size, which protects the reader's memory from crafted links. */
const MAX_TEXT_BYTES = 1 << 20;

export async function encodeShare(text: string): Promise<string> {
  const packed = await collect(
    streamOf(new TextEncoder().encode(text)).pipeThrough(new CompressionStream('deflate-raw')),
  );
  return MARK + toBase64Url(packed);
}

/** Text in a location hash; undefined when the hash is not a share. Throws when the share cannot be decoded. */
export async function decodeShare(hash: string): Promise<string | undefined> {
  const body = hash.replace(/^#/, '');
  if (!body.startsWith(MARK)) return undefined;
  const packed = fromBase64Url(body.slice(MARK.length));
  const bytes = await collect(streamOf(packed).pipeThrough(new DecompressionStream('deflate-raw')));
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new Blob([bytes]).stream();
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    length += piece.value.length;
    if (length > MAX_TEXT_BYTES) throw new RangeError('The shared session is larger than 1 MiB');
    chunks.push(piece.value);
  }
  return concat(chunks, length);
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
