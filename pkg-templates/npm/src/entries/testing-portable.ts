/**
 * Entry `keylatch/testing` in browsers, Workers and Jest's jsdom, where servers cannot listen: they are refused with a
 * sentence.
 */
export * from '../testing/portable.js';

const NEEDS_NODE =
  'servers need the sockets of Node.js: run this test in Node. Under Jest with jsdom, begin the file with ' +
  '/** @jest-environment node */';

/** Refused: see the entry for Node. */
export function startServer(): never {
  throw new Error(`startServer: ${NEEDS_NODE}`);
}

/** Refused: see the entry for Node. */
export class RedisMemoryServer {
  constructor() {
    throw new Error(`RedisMemoryServer: ${NEEDS_NODE}`);
  }

  /** Makes a server and starts it. */
  static create(): never {
    return new RedisMemoryServer() as never;
  }
}

/** Resets nothing: there are no servers here. */
export function reset(): void {}
