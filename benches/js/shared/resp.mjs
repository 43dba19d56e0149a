/**
 * The peer for bytes in, bytes out: a plain JavaScript implementation of GET and SET over RESP, on a Map. Splits a
 * chunk at its lengths, and keeps an incomplete request for the next one. Runs in Node and in the page.
 */

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const CR = 13;
const ZERO = 48;

/** A request of ASCII words and numbers. */
export const requestOf = (...words) =>
  `*${words.length}\r\n${words
    .map(String)
    .map((word) => `$${word.length}\r\n${word}\r\n`)
    .join('')}`;

export class RespMap {
  map = new Map();
  #rest = new Uint8Array(0);

  /** Returns the replies to all complete requests. */
  feed(chunk) {
    const bytes = this.#rest.length === 0 ? chunk : join(this.#rest, chunk);
    const reader = new Reader(bytes);
    let replies = '';
    let done = 0;
    for (let words = reader.request(); words !== undefined; words = reader.request()) {
      replies += this.#execute(words);
      done = reader.at;
    }
    this.#rest = bytes.subarray(done);
    return encoder.encode(replies);
  }

  #execute([name, key, value]) {
    switch (name.toUpperCase()) {
      case 'GET': {
        const found = this.map.get(key);
        return found === undefined ? '$-1\r\n' : `$${found.length}\r\n${found}\r\n`;
      }
      case 'SET':
        this.map.set(key, value);
        return '+OK\r\n';
      default:
        return `-ERR unknown command '${name}'\r\n`;
    }
  }
}

class Reader {
  at = 0;
  #bytes;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  /** The words of the next request; undefined when it is incomplete. */
  request() {
    const count = this.#number();
    const words = [];
    for (let index = 0; index < count; index += 1) {
      const length = this.#number();
      const end = this.at + length;
      if (length === undefined || end + 2 > this.#bytes.length) return undefined;
      words.push(decoder.decode(this.#bytes.subarray(this.at, end)));
      this.at = end + 2;
    }
    return count === undefined ? undefined : words;
  }

  /** The number behind the type byte of a line. */
  #number() {
    const end = this.#bytes.indexOf(CR, this.at);
    if (end < 0 || end + 1 >= this.#bytes.length) return undefined;
    let number = 0;
    for (let at = this.at + 1; at < end; at += 1) number = number * 10 + this.#bytes[at] - ZERO;
    this.at = end + 2;
    return number;
  }
}

function join(first, second) {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
