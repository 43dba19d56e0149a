/**
 * State of sockets that survives the sleep of their object: a value attached to each, or a row of the object's storage if it
 * is long.
 */
import { concat } from '../../resp/concat.js';
import type { Access } from '../upstash/access.js';
import type { PlatformSocket } from './platform-socket.js';

export interface SocketState {
  readonly access: Access;
  /** Where sockets of the namespace are opened, if it has several shards. */
  readonly address: string | undefined;
  /** The client, as the engine exports it. */
  readonly client: Uint8Array;
  /** Bytes that the socket received, and that were not run. */
  readonly input: Uint8Array;
}

interface Attachment {
  readonly access: Access;
  readonly address: string | undefined;
  /** Id of the client, which is that of the row. */
  readonly id: number;
  /** Length of the client's words, which precede the input. */
  readonly clientBytes: number;
  /** Undefined if there is a row. */
  readonly bytes: Uint8Array | undefined;
}

/** Bytes of state that fit into an attachment of 16 KiB beside the access: a token has at most 4,096 characters. */
const ATTACHED_MAX = 12_000;
/** Longest state; the platform's limit of a row is 2 MB. */
const ROW_BYTES_MAX = 1_000_000;
const TABLE = 'keylatch_sockets';

/** Whether a state needs a row, which is billed. */
export function isLongState({ client, input, address = '' }: SocketState): boolean {
  return client.length + input.length + address.length > ATTACHED_MAX;
}

export class SocketStates {
  readonly #storage: DurableObjectStorage;
  /** Ids of the sockets that have rows. */
  readonly #rows = new Set<number>();
  #hasTable: boolean;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    const found = storage.sql.exec('SELECT 1 FROM sqlite_master WHERE name = ?', TABLE).toArray();
    this.#hasTable = found.length > 0;
  }

  /** Keeps the state of a socket. False if that is too long for a row. */
  save(socket: PlatformSocket, id: number, state: SocketState): boolean {
    const { access, address, client } = state;
    const bytes = concat([client, state.input]);
    if (bytes.length > ROW_BYTES_MAX) return false;
    const isLong = isLongState(state);
    if (isLong) this.#write(id, bytes);
    else this.forget(id);
    const bytesAttached = isLong ? undefined : bytes;
    const attachment: Attachment = { access, address, id, clientBytes: client.length, bytes: bytesAttached };
    socket.serializeAttachment(attachment);
    return true;
  }

  /** The state of a socket; undefined if there is none. */
  read(socket: PlatformSocket): SocketState | undefined {
    const attachment = socket.deserializeAttachment() as Attachment | null;
    const bytes = attachment?.bytes ?? this.#row(attachment?.id);
    if (!attachment || bytes === undefined) return undefined;
    const { access, address, clientBytes } = attachment;
    return { access, address, client: bytes.subarray(0, clientBytes), input: bytes.subarray(clientBytes) };
  }

  /** Removes the row of a socket, if there is one. */
  forget(id: number): void {
    if (this.#rows.delete(id)) this.#storage.sql.exec(`DELETE FROM ${TABLE} WHERE id = ?`, id);
  }

  /** Removes rows of sockets that were closed while the object did not run. */
  forgetOthers(): void {
    if (!this.#hasTable) return;
    const rows = this.#storage.sql.exec(`SELECT id FROM ${TABLE}`).toArray() as { id: number }[];
    for (const { id } of rows) {
      if (!this.#rows.has(id)) this.#storage.sql.exec(`DELETE FROM ${TABLE} WHERE id = ?`, id);
    }
  }

  #row(id: number | undefined): Uint8Array | undefined {
    if (id === undefined || !this.#hasTable) return undefined;
    const [row] = this.#storage.sql.exec(`SELECT bytes FROM ${TABLE} WHERE id = ?`, id).toArray();
    if (row === undefined) return undefined;
    this.#rows.add(id);
    return new Uint8Array(row['bytes'] as ArrayBuffer);
  }

  #write(id: number, bytes: Uint8Array): void {
    const { sql } = this.#storage;
    if (!this.#hasTable) sql.exec(`CREATE TABLE ${TABLE} (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)`);
    this.#hasTable = true;
    sql.exec(`INSERT OR REPLACE INTO ${TABLE} (id, bytes) VALUES (?, ?)`, id, bytes);
    this.#rows.add(id);
  }
}
