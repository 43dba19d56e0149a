/** Files that are opened: their kind, found from their contents, and their keys or session. */

import type { Keylatch } from 'keylatch/core';
import { fromBase64 } from '../base/base64.ts';
import { checkedKeys } from './key-file.ts';
import { isObject, plainKeys } from './plain-json.ts';
import type { EngineMaker } from '../engine/engine.ts';
import { keyValuesOf, writeKeyValues } from './key-values.ts';
import type { Source } from '../session/session-editor-model.ts';

export type Opened =
  | { readonly kind: 'session'; readonly source: Source }
  /** A snapshot of the keys in the file. */
  | { readonly kind: 'keys'; readonly snapshot: Uint8Array; readonly what: string };

/** Reason why a file cannot be opened, for the visitor. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

export const KEY_FORMATS = ['rdb', 'aof', 'json'] as const;
export type KeyFormat = (typeof KEY_FORMATS)[number];

const MAX_BYTES = 128 * 1024 * 1024;
/** Largest session text. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;
const HEAD_BYTES = 16;
/** Beginning of an append-only file. */
const LOG_START = /^(?:\*\d+\r\n|#(?:KL|TS):)/;
/** Byte behind the last key of an RDB file. */
const RDB_END = 0xff;
const CHECKSUM_BYTES = 8;
/** Number of places that are tried as the end of an RDB file. */
const MAX_ENDS = 16;

export async function openFile(file: File, maker: EngineMaker): Promise<Opened> {
  if (file.size > MAX_BYTES) throw new FileError(`${file.name} is larger than 128 MB.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    return opened(bytes, maker);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FileError(`${file.name} cannot be opened: ${reason}. Nothing was changed.`);
  }
}

function opened(bytes: Uint8Array<ArrayBuffer>, maker: EngineMaker): Opened {
  const head = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES));
  if (/^(?:REDIS|VALKEY)\d/.test(head)) return fromRdb(bytes, maker);
  if (LOG_START.test(head)) return keys(maker, 'an append-only file', (db) => replay(db, bytes));
  const text = sessionText(bytes);
  const json = /^\s*[{[]/.test(text) ? parsed(text) : undefined;
  if (json === undefined) return { kind: 'session', source: { text } };
  return fromJson(json, maker);
}

/** An RDB file, or an append-only file that begins with one. */
function fromRdb(bytes: Uint8Array<ArrayBuffer>, maker: EngineMaker): Opened {
  const load = (part: Uint8Array) => (db: Keylatch) => {
    db.load(part);
    return '';
  };
  try {
    return keys(maker, 'an RDB file', load(bytes));
  } catch (error) {
    for (const end of preambleEnds(bytes)) {
      const withLog = (db: Keylatch): string => load(bytes.subarray(0, end))(db) + replay(db, bytes, end);
      if (canLoad(bytes.subarray(0, end), maker)) return keys(maker, 'an append-only file', withLog);
    }
    throw error;
  }
}

/** Offsets at which an RDB file may end and commands may begin: behind its end mark and checksum. */
function preambleEnds(bytes: Uint8Array): number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(RDB_END); at !== -1 && ends.length < MAX_ENDS; at = bytes.indexOf(RDB_END, at + 1)) {
    const end = at + 1 + CHECKSUM_BYTES;
    if (LOG_START.test(String.fromCharCode(...bytes.subarray(end, end + HEAD_BYTES)))) ends.push(end);
  }
  return ends;
}

/** The checksum of an RDB file tells its true end from bytes that look like one. */
function canLoad(snapshot: Uint8Array, maker: EngineMaker): boolean {
  const { db } = maker.make();
  try {
    db.load(snapshot);
    return true;
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/** Replays the commands from an offset on; errors name their place in the whole file. */
function replay(db: Keylatch, bytes: Uint8Array, start = 0): string {
  try {
    const { droppedBytes } = db.replay(bytes.subarray(start));
    return droppedBytes > 0 ? `; ${droppedBytes} bytes of a cut command at its end were left out` : '';
  } catch (error) {
    const inFile = (_: string, offset: string): string => ` at byte ${start + Number(offset)}`;
    throw error instanceof Error ? new Error(error.message.replace(/ at byte (\d+)$/, inFile)) : error;
  }
}

function sessionText(bytes: Uint8Array): string {
  if (bytes.length > MAX_TEXT_BYTES) throw new Error('it is too large for a session, and no file of keys');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is neither a text nor an RDB or append-only file');
  }
}

/** The value of a JSON text; undefined when the text is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fromJson(json: unknown, maker: EngineMaker): Opened {
  if (!isObject(json)) throw new Error('it holds no object of keys');
  const { keylatch, version } = json;
  if ((keylatch === 'keys' || keylatch === 'session') && version !== 1)
    throw new Error('a newer version of the page wrote it; reload the page');
  if (keylatch === 'session') return { kind: 'session', source: sessionOf(json) };
  const found = keylatch === 'keys' ? checkedKeys(json['keys']) : plainKeys(json);
  return keys(maker, 'a JSON file', (db) => {
    writeKeyValues(db, found);
    return '';
  });
}

function sessionOf({ text, title, start }: Record<string, unknown>): Source {
  if (typeof text !== 'string') throw new Error('its member "text" is missing');
  const bytes = typeof start === 'string' ? fromBase64(start) : undefined;
  if (typeof start === 'string' && !bytes) throw new Error('its member "start" is not base64');
  return { text, title: typeof title === 'string' ? title : undefined, start: bytes };
}

/** Loads into an engine of its own: a file that fails halfway changes nothing. */
function keys(maker: EngineMaker, what: string, fill: (db: Keylatch) => string): Opened {
  const { db } = maker.make();
  try {
    const remark = fill(db);
    return { kind: 'keys', snapshot: db.snapshot(), what: `${what}${remark}` };
  } finally {
    db.close();
  }
}

/** The keys as a file. */
export function keyFile(db: Keylatch, format: KeyFormat, maker: EngineMaker): string | Uint8Array<ArrayBuffer> {
  if (format === 'rdb') return db.snapshot() as Uint8Array<ArrayBuffer>;
  const found = keyValuesOf(db);
  if (format === 'json') return `${JSON.stringify({ keylatch: 'keys', version: 1, keys: found }, undefined, 2)}\n`;
  const copy = maker.make();
  try {
    copy.db.record(true);
    writeKeyValues(copy.db, found);
    return copy.db.takeEffects() as Uint8Array<ArrayBuffer>;
  } finally {
    copy.db.close();
  }
}
