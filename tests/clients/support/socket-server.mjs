/** A WebSocket server with the contract of keylatch: RESP in binary frames, tokens as subprotocols, `ping` and `pong` as text. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { WebSocketServer } from 'ws';

/**
 * Serves the RESP port of a server over WebSockets until the test `t` ends. Each frame has `frameBytes` bytes at most. While `isMute`
 * nothing passes, which begins behind a reply with `lastWord` in it.
 */
export async function serveSockets(t, port, { token, frameBytes = 3 }) {
  const own = { token, paths: [], opened: 0, sentBytes: 0, isMute: false, lastWord: undefined, sockets: new Set() };
  const protocolOf = () => `keylatch.token.${Buffer.from(own.token).toString('base64url')}`;
  const http = createServer((request, response) => {
    request.resume();
    const isAdmitted = request.headers.authorization === `Bearer ${own.token}`;
    response.writeHead(isAdmitted ? 200 : 401).end(isAdmitted ? '{"result":"PONG"}' : '{"error":"WRONGPASS wrong"}');
  });
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'keylatch' });
  http.on('upgrade', (request, socket, head) => {
    own.paths.push(request.url);
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/, ?/);
    if (!offered.includes('keylatch') || !offered.includes(protocolOf()))
      return socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
    sockets.handleUpgrade(request, socket, head, (opened) => {
      own.opened += 1;
      carry(own, opened, connect(port, '127.0.0.1'), frameBytes);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  own.port = http.address().port;
  /** Closes all sockets with a code. */
  own.close = (code) => own.sockets.forEach((socket) => socket.close(code, 'closed by the test'));
  own.stop = () => {
    for (const socket of own.sockets) socket.terminate();
    http.closeAllConnections();
    http.close();
  };
  t.after(own.stop);
  return own;
}

function carry(own, socket, stream, frameBytes) {
  own.sockets.add(socket);
  socket.on('message', (data, isBinary) => {
    if (own.isMute) return;
    if (isBinary) stream.write(data);
    else if (String(data) === 'ping') socket.send('pong');
  });
  stream.on('data', (bytes) => {
    if (own.isMute) return;
    for (let at = 0; at < bytes.length; at += frameBytes) socket.send(bytes.subarray(at, at + frameBytes));
    own.sentBytes += bytes.length;
    own.isMute ||= own.lastWord !== undefined && bytes.includes(own.lastWord);
  });
  stream.on('error', () => {}).on('close', () => socket.close());
  socket
    .on('error', () => {})
    .on('close', () => {
      own.sockets.delete(socket);
      stream.destroy();
    });
}
