/** A server of node:http that reads each body and answers a constant: the least that a request costs. Prints its port. */
import { createServer } from 'node:http';

const BODY = Buffer.from('{"result":"v"}');
const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length });
    response.end(BODY);
  });
}).listen(0, '127.0.0.1', () => console.log(server.address().port));
