/** A connection that sends requests without waiting for replies, and counts the lines of the replies. */
import { connect } from 'node:net';
import { once } from 'node:events';

const LINE_FEED = 10;

export class Pipe {
  #socket;
  #lines = 0;
  #wanted = Infinity;
  #done = () => {};
  #failed = () => {};
  #first = '';

  static async open(port) {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    return new Pipe(socket);
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#failed(error));
  }

  #read(chunk) {
    if (this.#first === '') this.#first = chunk.toString('latin1', 0, 200);
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) this.#lines += 1;
    if (this.#lines >= this.#wanted) this.#done();
  }

  /** Sends requests and waits for this many lines of replies. Returns the beginning of the replies. */
  async exchange(requests, lines) {
    this.#lines = 0;
    this.#wanted = lines;
    this.#first = '';
    await new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#socket.write(requests);
    });
    if (this.#lines > lines || this.#first.startsWith('-'))
      throw new Error(`an answer of ${this.#lines} lines, ${lines} expected: ${this.#first}`);
    return this.#first;
  }

  close() {
    this.#socket.destroy();
  }
}
