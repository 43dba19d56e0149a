/**
 * Copies of an object's data for other databases: a snapshot as an RDB file, and the effects since a position in the log as an
 * append-only file. The position of a snapshot is where its effects go on, so that nothing is missing between both.
 */
import { RequestSplitter } from '../../resp/request-splitter.js';
import { concat } from '../../resp/concat.js';
import { type Access, isUnlimited } from '../upstash/access.js';
import { Failure } from '../upstash/exchange.js';
import { POSITION } from '../upstash/sharing.js';
import type { Log } from './log.js';
import type { WireRequest, WireResponse } from './wire.js';

/** Length of a piece of a stream. */
const PIECE_BYTES = 65_536;
/** First byte of an annotation, which append-only files may have between requests. */
const ANNOTATION = 0x23;
const KINDS = /^\/(snapshot|effects)\/?$/i;

/** An RDB file, and the position in the log at which it was made. */
export interface Copy {
  readonly bytes: Uint8Array;
  readonly position: number;
}

/** The data of an object. */
export interface CopySource {
  readonly log: Pick<Log, 'position' | 'reachesBack' | 'page'>;
  snapshot(): Promise<Copy>;
}

/** The response to a request for a copy; undefined for other requests. */
export function copyFor(request: WireRequest, source: CopySource): Promise<WireResponse> | undefined {
  const kind = KINDS.exec(request.path)?.[1]?.toLowerCase();
  return kind === undefined ? undefined : copyOf(kind, request, source);
}

async function copyOf(kind: string, request: WireRequest, source: CopySource): Promise<WireResponse> {
  if (request.method !== 'GET') throw new Failure(405, `ERR a copy is asked for with GET: ${request.path}`);
  checkFullAccess(request.access);
  return kind === 'snapshot' ? copyFile(await source.snapshot()) : effectsFile(request, source.log);
}

/** Refuses tokens with limits: only others may read everything. */
export function checkFullAccess(access: Access): void {
  if (!isUnlimited(access)) throw new Failure(403, 'NOPERM this token may not copy the namespace');
}

/** The response with a snapshot. */
export function copyFile({ bytes, position }: Copy): WireResponse {
  let at = 0;
  const next = (): Uint8Array | undefined => {
    if (at === bytes.length) return undefined;
    const piece = bytes.slice(at, at + PIECE_BYTES);
    at += piece.length;
    return piece;
  };
  return file('dump.rdb', position, next);
}

function effectsFile({ query = [] }: WireRequest, log: CopySource['log']): WireResponse {
  const parameters = new Map(query);
  const from = positionIn(parameters.get('from'));
  const filter = filterOf(parameters.get('format') ?? 'aof');
  checkReach(log, from);
  const end = log.position;
  let at = from;
  const next = (): Uint8Array | undefined => {
    for (; at < end; ) {
      checkReach(log, at);
      const page = log.page(at, end);
      at = page.position;
      const bytes = filter(page.bytes);
      if (bytes.length > 0) return bytes;
    }
    return undefined;
  };
  return file('appendonly.aof', end, next);
}

function positionIn(text: string | undefined): number {
  const position = Number(text);
  if (text === undefined || !/^\d+$/.test(text) || !Number.isSafeInteger(position))
    throw new Failure(400, `ERR effects are asked for from a position: /effects?from=N, with ${POSITION} of a copy`);
  return position;
}

function checkReach(log: CopySource['log'], from: number): void {
  if (!log.reachesBack(from))
    throw new Failure(410, `ERR the log does not have the effects since position ${from}: begin with /snapshot`);
}

/** Leaves out of effects, which come in pieces, what a format does not have. */
function filterOf(format: string): (bytes: Uint8Array) => Uint8Array {
  if (format === 'aof') return (bytes) => bytes;
  if (format !== 'resp') throw new Failure(400, `ERR unknown format '${format}': it is aof or resp`);
  const splitter = new RequestSplitter();
  return (bytes) =>
    concat(
      splitter
        .push(bytes)
        .map((request) => request.bytes)
        .filter(([first]) => first !== ANNOTATION),
    );
}

function file(name: string, position: number, next: () => Uint8Array | undefined): WireResponse {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
    [POSITION]: String(position),
  };
  return { status: 200, headers, body: streamOf(next) };
}

/** A stream that is read as far as the client reads. An error cuts it off. */
function streamOf(next: () => Uint8Array | undefined): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const piece = next();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece as Uint8Array<ArrayBuffer>);
    },
  });
}
