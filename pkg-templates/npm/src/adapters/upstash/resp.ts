/** Requests as RESP bytes. */

const encoder = new TextEncoder();

/** Requests one after another. */
export function requestBytes(requests: readonly (readonly (string | Uint8Array)[])[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const argv of requests) {
    parts.push(encoder.encode(`*${argv.length}\r\n`));
    for (const argument of argv) {
      const bytes = typeof argument === 'string' ? encoder.encode(argument) : argument;
      parts.push(encoder.encode(`$${bytes.length}\r\n`), bytes, encoder.encode('\r\n'));
    }
  }
  return concatenated(parts);
}

export function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
