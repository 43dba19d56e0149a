/** Splits RESP bytes into single replies, for messages that arrived together. Pure. */

const CR = 13;
const BULK = '$=!';
const AGGREGATE = '*~>';
/** Longest head of a reply that holds a number: its sign and digits. */
const NUMBER_BYTES = 24;

export function splitReplies(bytes: Uint8Array): Uint8Array[] {
  const replies: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = replyEnd(bytes, start);
    replies.push(bytes.subarray(start, end));
    start = end;
  }
  return replies;
}

/** Position behind the reply at `start`; the end of the bytes when they are no whole reply. */
function replyEnd(bytes: Uint8Array, start: number): number {
  let end = start;
  for (let missing = 1; missing > 0 && end < bytes.length; missing -= 1) {
    const type = String.fromCharCode(bytes[end] ?? 0);
    const lineEnd = bytes.indexOf(CR, end);
    if (lineEnd === -1) return bytes.length;
    const count = Number(String.fromCharCode(...bytes.subarray(end + 1, Math.min(lineEnd, end + NUMBER_BYTES))));
    end = lineEnd + 2;
    // A negative count is a null, which has nothing behind it.
    if (!(count >= 0)) continue;
    if (BULK.includes(type)) end += count + 2;
    else if (AGGREGATE.includes(type)) missing += count;
    else if (type === '%') missing += 2 * count;
    // An attribute stands in front of its reply.
    else if (type === '|') missing += 2 * count + 1;
  }
  return Math.min(end, bytes.length);
}
