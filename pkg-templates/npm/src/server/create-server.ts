/** Makes a server of its options: with a log, with snapshots, or in memory. */
import { checked } from '../base/option-check.js';
import { Keylatch } from '../db/built-in.js';
import { open as openStore, serverStore } from '../persist/open-files.js';
import { SERVER, type ServerOptions } from './options.js';
import { Server } from './server.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** A server that is not listening yet: `await createServer({ port: 6379 }).listen()`. */
export function createServer(options?: ServerOptions): Server {
  const given = checked('createServer', options, SERVER);
  const { dir, appendonly = 'yes', appendfsync = 'everysec' } = given;
  if (dir === undefined) {
    // Without a folder there is no log, as with `appendonly no`.
    if (given.appendonly === 'yes' || given.appendfsync !== undefined)
      throw new CallerTypeError('createServer: appendonly and appendfsync go with dir');
    return new Server(given, () => new Keylatch());
  }
  if (given.db !== undefined)
    throw new CallerTypeError('createServer: dir and db exclude each other; pass only one of them');
  // Writes are refused while the folder cannot be written, as in Redis.
  const open = () => openStore({ store: serverStore(dir, appendonly === 'yes', appendfsync), onFailure: 'refuse' });
  return new Server(given, { open });
}
