// A server of the built package, of fixtures, and of the programs of the kill test.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = process.env.KEYLATCH_PACKAGE ?? fileURLToPath(new URL('../../target/npm/keylatch', import.meta.url));
const FOLDERS = {
  package: PACKAGE,
  fixtures: fileURLToPath(new URL('fixtures', import.meta.url)),
  kill: fileURLToPath(new URL('../kill', import.meta.url)),
};
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript' };

/** Starts a server for the package and the fixtures. `asked` is called with the paths of other requests. */
export async function serveSite(asked = () => {}) {
  const server = createServer(async (request, response) => {
    const [, folder, ...path] = new URL(request.url ?? '/', 'http://site').pathname.split('/');
    const file = normalize(path.join('/'));
    if (!Object.hasOwn(FOLDERS, folder) || file.startsWith('..')) {
      asked(request.url);
      response.writeHead(204).end();
      return;
    }
    try {
      const body = await readFile(join(FOLDERS[folder], file));
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { origin: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}
