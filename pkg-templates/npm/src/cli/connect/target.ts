/** Where `keylatch connect` connects to: the address with its namespace, and the token. */
import { readFileSync } from 'node:fs';
import { CallerRangeError, CallerTypeError } from '../../base/caller-errors.js';
import { addressOf } from '../../remote/options.js';

/** Time for a connection, and between two signs of life while something is expected. */
export const CONNECT_MS = 10_000;

export interface ConnectTarget {
  /** Address of the WebSocket. */
  readonly url: string;
  readonly token: string | undefined;
  /** Host and path, for prompts. */
  readonly shown: string;
}

/** Words of the command line about the server. */
export interface TargetWords {
  readonly address: string;
  readonly namespace: string | undefined;
  readonly tokenFile: string | undefined;
}

/** Reads what the command line says. Throws if it is wrong. */
export function targetOf({ address, namespace, tokenFile }: TargetWords, env: NodeJS.ProcessEnv): ConnectTarget {
  const url = /^(?:https?|wss?):\/\//i.test(address) && URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined)
    throw new CallerTypeError('expected the URL of a server that begins with https://, http://, wss:// or ws://');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new CallerTypeError(
      'the URL must not have a token or parameters, which logs and lists of processes show: set KEYLATCH_TOKEN, or name a file with --token-file',
    );
  if (namespace === '') throw new CallerTypeError('--namespace expects a name of 1 to 256 characters');
  const target = addressOf(address, namespace, ['wss', 'ws']);
  return { url: target, token: tokenOf(tokenFile, env), shown: target.replace(/^wss?:\/\//, '') };
}

function tokenOf(file: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const given = file === undefined ? env['KEYLATCH_TOKEN'] : readFileSync(file, 'utf8').trim();
  if (given === '') throw new CallerRangeError('the token is empty');
  return given;
}
