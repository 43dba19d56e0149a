/**
 * The entry point: checks the request, selects the object by namespace, runs one command there and responds in JSON.
 * Stateless.
 */

import {
  BODY_BYTES_MAX,
  NAMESPACE_DEFAULT,
  NAMESPACE_LENGTH_MAX,
  Refusal,
  errorBody,
  parseCommand,
  readBody,
} from './protocol';
import type { Env, Shard } from './shard';

export { Shard } from './shard';

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    try {
      return await answer(request, env);
    } catch (error) {
      if (error instanceof Refusal) return respond(error.status, errorBody(error.message), error.headers);
      throw error;
    }
  },
} satisfies ExportedHandler<Env>;

async function answer(request: Request, env: Env): Promise<Response> {
  const url = new URL(request.url);
  if (url.pathname !== '/') throw new Refusal(404, 'ERR no such path: commands are posted to /');
  if (request.method !== 'POST') throw new Refusal(405, 'ERR commands are posted', { allow: 'POST' });
  await checkToken(request, env);
  const namespace = readNamespace(url);
  const command = parseCommand(await readBody(request, BODY_BYTES_MAX));
  return run(env.SHARD.get(env.SHARD.idFromName(namespace)), command);
}

async function run(shard: DurableObjectStub<Shard>, command: string[]): Promise<Response> {
  try {
    const { ok, body } = await shard.run(command);
    return respond(ok ? 200 : 400, body);
  } catch (cause) {
    // The object stopped, restarted or is overloaded. It may have stored the effect before the reply was lost.
    console.error('keylatch: no answer from the object', cause);
    return respond(503, errorBody('UNAVAILABLE no answer from the object; the command may or may not have run'));
  }
}

/** Reads the namespace, which selects the object. An object is a keyspace: two namespaces share nothing. */
function readNamespace(url: URL): string {
  const namespace = url.searchParams.get('namespace') ?? NAMESPACE_DEFAULT;
  if (namespace.length === 0 || namespace.length > NAMESPACE_LENGTH_MAX) {
    throw new Refusal(400, `ERR a namespace has 1 to ${NAMESPACE_LENGTH_MAX} characters`);
  }
  return namespace;
}

async function checkToken(request: Request, env: Env): Promise<void> {
  if (env.KEYLATCH_TOKEN === undefined) return;
  // At least one character: an empty secret, set by mistake, refuses every request instead of accepting all.
  const bearer = /^bearer (.+)$/i.exec(request.headers.get('authorization') ?? '');
  const isAllowed = await isEqual(bearer?.[1] ?? '', env.KEYLATCH_TOKEN);
  if (bearer !== null && isAllowed) return;
  throw new Refusal(401, 'WRONGPASS invalid or missing token', { 'www-authenticate': 'Bearer' });
}

/**
 * Compares digests in constant time, so that the timing reveals neither the length nor the first difference of a guess.
 */
async function isEqual(guess: string, secret: string): Promise<boolean> {
  const [guessed, expected] = await Promise.all(
    [guess, secret].map((text) => crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))),
  );
  return crypto.subtle.timingSafeEqual(guessed!, expected!);
}

function respond(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });
}
