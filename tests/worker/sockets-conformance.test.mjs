/** Recorded replies of a real Redis, compared through sockets, with requests cut at places that change from one to the next. */

import { test } from 'node:test';

import { compareRecordings } from './support/conformance.mjs';
import { start } from './support/host.mjs';
import { connect, encode } from './support/sockets.mjs';

test('recorded sessions give the recorded replies', async (t) => {
  const worker = await start(t);
  let next = 0;
  await compareRecordings(async (namespace) => {
    const peer = await connect(t, worker, { path: `/namespace/${encodeURIComponent(namespace)}` });
    const ask = (argv) => {
      const bytes = encode(argv);
      const cut = next % (bytes.length + 1);
      next += 1;
      peer.write(bytes.subarray(0, cut));
      peer.write(bytes.subarray(cut));
      return peer.replyBytes();
    };
    return { ask, close: () => peer.socket.close() };
  });
});
