/** Calls of any number of words, with replies as RESP bytes. */

import type { Client } from 'keylatch/core';

/** A word of a command. */
export type Word = string | Uint8Array;

const NOTHING = new Uint8Array();
/** More words than this are more than a function can have arguments. */
const ARGUMENTS_MAX = 1000;
const encoder = new TextEncoder();
const LINE_END = encoder.encode('\r\n');

/** Runs a command; its reply as RESP bytes. */
export function callRaw(client: Client, words: readonly Word[]): Uint8Array {
  return words.length <= ARGUMENTS_MAX ? client.callRaw(...words) : request(client, words);
}

/** Whether the connection of a client has ended. */
export function isClosed(client: Client): boolean {
  return client.feed(NOTHING).closed;
}

/** Sends a command as a request on the wire. */
function request(client: Client, words: readonly Word[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let fed = client.feed(requestBytes(words));
  for (; fed.more; fed = client.feed(NOTHING)) pieces.push(fed.output);
  return joined([...pieces, fed.output]);
}

/** A command in the form of the protocol. Most words have one of a few lengths, so their headers are encoded once. */
function requestBytes(words: readonly Word[]): Uint8Array {
  const headers = new Map<number, Uint8Array<ArrayBuffer>>();
  const pieces: Uint8Array[] = [encoder.encode(`*${words.length}`)];
  for (const word of words) {
    const bytes = typeof word === 'string' ? encoder.encode(word) : word;
    let header = headers.get(bytes.length);
    if (!header) headers.set(bytes.length, (header = encoder.encode(`\r\n$${bytes.length}\r\n`)));
    pieces.push(header, bytes);
  }
  return joined([...pieces, LINE_END]);
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
