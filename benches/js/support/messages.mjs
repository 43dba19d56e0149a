/** Messages over one WebSocket, so many in flight at a time. Answers are counted by their bytes, since frames may hold several. */
import { connect } from '../../../tests/worker/support/sockets.mjs';

const NS_S = 1e9;

/** Opens a socket to a Worker. `scope` ends it. */
export async function openSocket(scope, worker, path) {
  const { socket } = await connect(scope, worker, { path });
  // A load takes the answers by itself.
  socket.removeAllListeners('message');
  return socket;
}

/** Sends `count` messages, of which `inFlight` wait for their answers; how many were answered a second. */
export async function exchange(socket, { message, answerBytes, inFlight, count }) {
  const send = () => socket.send(message, { binary: true });
  const begin = process.hrtime.bigint();
  await new Promise((resolve, reject) => {
    const total = count * answerBytes;
    let [sent, received] = [0, 0];
    const ended = (code, reason) => reject(new Error(`closed with ${code} ${reason}`));
    const take = (data) => {
      received += data.length;
      if (received > total) return reject(new Error(`${received} bytes of answers in place of ${total}`));
      if (received === total) {
        socket.off('message', take).off('close', ended);
        return resolve();
      }
      for (; sent < count && sent < Math.floor(received / answerBytes) + inFlight; sent += 1) send();
    };
    socket.on('message', take).on('close', ended);
    for (; sent < Math.min(inFlight, count); sent += 1) send();
  });
  return (count / Number(process.hrtime.bigint() - begin)) * NS_S;
}
