/** Divides RESP bytes into single replies. Pure. */

const CARRIAGE_RETURN = 13;
const BULK_TYPES = '$=!';
const ARRAY_TYPES = '*~>';
/** Longest count of a reply: its sign and digits. */
const COUNT_BYTES = 24;

/**
 * Single replies and messages of bytes that arrived together, such as those of `takeOutbox()`. What is not whole at the end
 * is one reply as it stands.
 *
 * @example splitReplies(client.takeOutbox()).map((message) => printReply(db, message))
 */
export function splitReplies(bytes: Uint8Array): Uint8Array[] {
  const replies: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = replyEnd(bytes, start);
    replies.push(bytes.slice(start, end));
    start = end;
  }
  return replies;
}

/** Position behind the reply at `start`; the end of the bytes if the reply is not whole. */
function replyEnd(bytes: Uint8Array, start: number): number {
  let end = start;
  for (let missing = 1; missing > 0 && end < bytes.length; missing -= 1) {
    const type = String.fromCharCode(bytes[end] ?? 0);
    const lineEnd = bytes.indexOf(CARRIAGE_RETURN, end);
    if (lineEnd === -1) return bytes.length;
    const count = Number(String.fromCharCode(...bytes.subarray(end + 1, Math.min(lineEnd, end + COUNT_BYTES))));
    end = lineEnd + 2;
    // A negative count is a null, which has nothing behind it.
    if (!(count >= 0)) continue;
    if (BULK_TYPES.includes(type)) end += count + 2;
    else if (ARRAY_TYPES.includes(type)) missing += count;
    else if (type === '%') missing += 2 * count;
    // An attribute stands in front of its reply.
    else if (type === '|') missing += 2 * count + 1;
  }
  return Math.min(end, bytes.length);
}
