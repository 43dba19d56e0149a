/** A connection that makes steps in a database of its own, and knows which of them were replied to. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { resp, stepRequest } from './commands.mjs';

/** The head of the reply of EXEC, with the number of steps. */
const COUNTED = /\*\d+\r\n:(\d+)\r\n/g;
/** Bytes kept for a head that comes in two parts. */
const HEAD_BYTES_MAX = 64;

/** Connects and waits for the reply of a last command; the connection then makes steps. */
export class Connection {
  #socket;
  #tail = '';
  #isWriting = false;
  #inFlight = 1;
  #waiting = [];
  sent = 0;
  acknowledged = 0;
  ended;

  constructor(port) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.setNoDelay(true).setEncoding('latin1');
    this.#socket.on('error', () => {});
    this.#socket.on('data', (text) => this.#read(text));
    this.ended = once(this.#socket, 'close').catch(() => {});
  }

  /** Chooses the database. Resolves to the number of steps in it. */
  async begin(database) {
    const asked = this.ask(['SELECT', String(database)], ['GET', 'steps']);
    const text = await asked;
    this.sent = Number(/\$\d+\r\n(\d+)\r\n$/.exec(text)?.[1] ?? 0);
    this.acknowledged = this.sent;
    return this.sent;
  }

  /** Sends commands of which each has a reply of one line or a bulk; resolves to their replies. */
  ask(...commands) {
    this.#tail = '';
    this.#socket.write(commands.map(resp).join(''));
    return new Promise((pass) => this.#waiting.push({ isDone: (text) => countReplies(text) >= commands.length, pass }));
  }

  /** Makes steps until the end of the connection, with `inFlight` of them under way. */
  write(inFlight) {
    this.#isWriting = true;
    this.#inFlight = inFlight;
    this.#fill();
  }

  stop() {
    this.#isWriting = false;
  }

  /** Resolves when every step that was sent was replied to. */
  async settled() {
    this.stop();
    while (this.acknowledged < this.sent) await once(this.#socket, 'data');
  }

  end() {
    this.#socket.destroy();
  }

  #fill() {
    let requests = '';
    for (; this.#isWriting && this.sent - this.acknowledged < this.#inFlight; this.sent += 1)
      requests += stepRequest(this.sent);
    if (requests !== '') this.#socket.write(requests);
  }

  #read(text) {
    this.#tail += text;
    for (const [, steps] of this.#tail.matchAll(COUNTED))
      this.acknowledged = Math.max(this.acknowledged, Number(steps));
    const [first] = this.#waiting;
    if (first?.isDone(this.#tail)) this.#waiting.shift().pass(this.#tail);
    if (first === undefined) this.#tail = this.#tail.slice(-HEAD_BYTES_MAX);
    this.#fill();
  }
}

/** Number of whole replies: lines, of which a bulk has two. */
function countReplies(text) {
  let count = 0;
  for (let at = 0; ; count += 1) {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return count;
    const length = text[at] === '$' ? Number(text.slice(at + 1, end)) : -1;
    at = end + 2 + (length < 0 ? 0 : length + 2);
    if (at > text.length) return count;
  }
}
