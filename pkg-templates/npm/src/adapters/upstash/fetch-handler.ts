/** The REST protocol over the types of `fetch`: Workers, Deno, Bun, service workers, frameworks. */
import { bodyBytes } from './body.js';
import { type LiveBody, NO_QUERY, type RestRequest, type RestResponse } from './exchange.js';
import { settingsOf, type UpstashHandlerOptions } from './options.js';
import { respond } from './respond.js';
import { runnerOf, type UpstashDatabase } from './runners.js';
import { Encoder } from '../../base/encoders.js';

/** Request and Response of the platform, where the program's own types declare them. */
type PlatformRequest = typeof globalThis extends { Request: { prototype: infer Own } } ? Own : object;
type PlatformResponse = typeof globalThis extends { Response: { prototype: infer Own } } ? Own : object;

const encoder = /* @__PURE__ */ new Encoder();

/**
 * Answers a request of the REST protocol: `GET /get/key`, `POST /` with a command as JSON, `/pipeline`, `/multi-exec`,
 * `/subscribe/channel`, `/monitor`. A failed command is status 400, a missing token 401, each with `{ "error": ... }`.
 */
export async function handleUpstashRequest(
  db: UpstashDatabase,
  request: PlatformRequest,
  options: UpstashHandlerOptions,
): Promise<PlatformResponse> {
  const settings = settingsOf(options);
  const runner = runnerOf(db);
  const asked = requestOf(request as Request);
  return responseOf(await respond(runner, asked, settings), asked);
}

/** @internal A request of `fetch` as the protocol sees it. */
export function requestOf(request: Request): RestRequest {
  const { path, search } = partsOf(request.url);
  return {
    method: request.method,
    path,
    query: search === '' ? NO_QUERY : new URLSearchParams(search),
    header: (name) => request.headers.get(name) ?? undefined,
    body: (maxBytes) => bodyBytes(request, maxBytes),
    whenGone: (callback) => request.signal?.addEventListener('abort', callback, { once: true }),
  };
}

/** Path and parameters of an address as `fetch` has it: absolute, and normalized. A URL of its own would take several times as long. */
function partsOf(url: string): { readonly path: string; readonly search: string } {
  const [, path, search = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)\??([^#]*)/i.exec(url) ?? [];
  return { path: path || '/', search };
}

function responseOf({ status, headers, body }: RestResponse, request: RestRequest): Response {
  const isLive = typeof body === 'function';
  return new Response(isLive ? streamOf(body, request) : (body as BodyInit | null), { status, headers });
}

/** A body that is written while it comes about. */
function streamOf(body: LiveBody, request: RestRequest): ReadableStream<Uint8Array> {
  let end = (): void => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const stop = body({
          get unread() {
            return -(controller.desiredSize ?? 0);
          },
          write: (text) => controller.enqueue(encoder.encode(text)),
          end: () => controller.close(),
          fail: (reason) => controller.error(reason),
        });
        end = stop;
        request.whenGone(() => {
          stop();
          try {
            controller.close();
          } catch {
            // The stream had ended before.
          }
        });
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );
}
