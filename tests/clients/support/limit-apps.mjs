// One app in Express, Fastify and Hono: a handler behind middleware of keylatch/limits.
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { listening } from './http.mjs';

/** A response as tests compare it. */
async function seen(response) {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/**
 * Apps by framework. Each takes the middlewares of a request, which `make(name, options)` returns for the framework, and a
 * handler of `{ header, body }` that returns `{ status, headers, body }`; it resolves to a function like `fetch` with paths.
 */
export const APPS = {
  async express(t, middlewares, handler) {
    const app = express();
    app.use(express.json(), ...middlewares);
    app.all('/{*path}', async (request, response) => {
      const { status, headers, body } = await handler({ header: (name) => request.get(name), body: request.body });
      response.status(status).set(headers).send(body);
    });
    app.use((error, _request, response, _next) => response.status(500).send(error.message));
    const url = await listening(t, app);
    return async (path, options) => seen(await fetch(url + path, options));
  },

  async fastify(t, middlewares, handler) {
    const app = Fastify();
    t.after(() => app.close());
    for (const hooks of middlewares)
      for (const [name, hook] of Object.entries(typeof hooks === 'function' ? { preHandler: hooks } : hooks))
        app.addHook(name, hook);
    app.all('/*', async (request, reply) => {
      const { status, headers, body } = await handler({
        header: (name) => request.headers[name],
        body: request.body,
      });
      return reply.code(status).headers(headers).send(body);
    });
    app.setErrorHandler((error, _request, reply) => reply.code(500).send(error.message));
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    return async (path, options) => seen(await fetch(url + path, options));
  },

  async hono(_t, middlewares, handler) {
    const app = new Hono();
    app.use(...middlewares);
    app.all('*', async (context) => {
      const text = await context.req.text();
      const { status, headers, body } = await handler({
        header: (name) => context.req.header(name),
        body: text === '' ? undefined : JSON.parse(text),
      });
      return context.body(body, status, headers);
    });
    app.onError((error, context) => context.text(error.message, 500));
    return async (path, options) => seen(await app.request(path, options));
  },
};

/** A header of the request, as each framework has it. */
export const HEADER = {
  express: (request, name) => request.get(name),
  fastify: (request, name) => request.headers[name],
  hono: (context, name) => context.req.header(name),
};
