/** Texts for a server that was not reached, or refuses a WebSocket: what happened, and what to do. */
import type { IncomingMessage } from 'node:http';
import { TOKEN_ENDED } from '../../remote/socket-connection.js';

/** Longest part of a refusal that is read. */
const BODY_MAX = 4096;
const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const TOO_MANY = 429;

const TOKEN_HELP = 'set the variable KEYLATCH_TOKEN, or name a file with --token-file';

export function noConnection({ origin }: URL, error: Error): string {
  // An address with several numbers has an error of each, and no message.
  const { message, code = '' } = error as NodeJS.ErrnoException;
  return `no connection to ${origin}: ${message || code}`;
}

/** Why a response is no upgrade. */
export async function refusalText(url: URL, response: IncomingMessage): Promise<string> {
  const { statusCode: status = 0 } = response;
  const reason = reasonIn(await bodyOf(response));
  const shown = reason ?? `status ${status}`;
  if (status === UNAUTHORIZED || status === FORBIDDEN) return `the server refuses the token (${shown}): ${TOKEN_HELP}`;
  if (status === TOO_MANY) return `the server takes no more connections now (${shown}): try again later`;
  if (status >= 500) return `the server cannot be used now (${shown}): try again later`;
  return `${url.origin}${url.pathname} has no WebSocket of keylatch (${shown}): expected the address of a keylatch Worker`;
}

/** Why a server has closed a socket. */
export function closeText(code: number, reason: string): string {
  if (code === TOKEN_ENDED) return `the token has ended (${reason || `close code ${code}`}): ${TOKEN_HELP}`;
  return code === 0 ? reason : `${reason || 'the connection was lost'}, close code ${code}`;
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of response) {
    body += String(chunk);
    if (body.length > BODY_MAX) break;
  }
  return body;
}

function reasonIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    // No keylatch, or a proxy in front of one, has answered.
    return undefined;
  }
}
