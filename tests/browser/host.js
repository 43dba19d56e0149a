// Pages of another site, which embed sessions: a server of its own, so another origin than the playground's.
import { createServer } from 'node:http';

/** Serves pages by path: HTML, or an object with `html` and `headers`. */
export async function serveHost(pages) {
  const server = createServer((request, response) => {
    const page = pages[new URL(request.url ?? '/', 'http://host').pathname];
    if (page === undefined) return response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end();
    const { html, headers = {} } = typeof page === 'string' ? { html: page } : page;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { origin: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** A page of HTML around a body. */
export function hostPage(body, head = '') {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>A page of another site</title>${head}</head>
<body><main><h1>A page of another site</h1>${body}</main></body>
</html>`;
}
