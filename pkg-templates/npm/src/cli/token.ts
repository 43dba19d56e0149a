/** `keylatch token`: signs a token for requests of the REST protocol. */
import { parseArgs } from 'node:util';
import { signToken } from '../adapters/durable-object/signed-token.js';
import { CallerTypeError } from '../base/caller-errors.js';
import { printOut } from './output.js';

export const TOKEN_USAGE = `keylatch token --key-id ID --expires SECONDS [OPTIONS]    prints a signed token, for the option secrets of keylatchFetch
  The secret is the variable KEYLATCH_SECRET, of 32 bytes or more.
  --write            commands that write; without it the token may only read
  --ns NAME          a namespace, or with a star behind it all that begin so; may be repeated. All unless given
  --keys GLOB        keys that match; may be repeated. All unless keys or channels are given
  --channels GLOB    channels that match; may be repeated
  --rate N           commands a second
  --id ID            a name, for the option revoked`;

const OPTIONS = {
  'key-id': { type: 'string' },
  expires: { type: 'string' },
  write: { type: 'boolean' },
  ns: { type: 'string', multiple: true },
  keys: { type: 'string', multiple: true },
  channels: { type: 'string', multiple: true },
  rate: { type: 'string' },
  id: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const SECOND_MS = 1000;

/** Prints a token. Returns the exit code. */
export async function token(words: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...words], options: OPTIONS });
  if (values.help) {
    printOut(TOKEN_USAGE);
    return 0;
  }
  const { 'key-id': keyId, expires, write, ns, keys, channels, rate, id } = values;
  if (keyId === undefined) throw new CallerTypeError('--key-id is needed: the name of the secret');
  if (expires === undefined || !/^[1-9]\d{0,9}$/.test(expires))
    throw new CallerTypeError('--expires is needed: the life of the token in seconds, such as 3600');
  if (rate !== undefined && !/^[1-9]\d{0,9}$/.test(rate))
    throw new CallerTypeError('--rate must be a number of commands a second, such as 100');
  const { KEYLATCH_SECRET: secret = '' } = process.env;
  const exp = Math.floor(Date.now() / SECOND_MS) + Number(expires);
  printOut(
    await signToken(
      { exp, write, ns, keys, channels, rate: rate === undefined ? rate : Number(rate), id },
      { keyId, secret },
    ),
  );
  return 0;
}
