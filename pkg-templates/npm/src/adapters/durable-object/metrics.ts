/** Metrics of an object for Prometheus: `GET /metrics` in the text format, version 0.0.4. Counters begin with the engine. */
import { isUnlimited } from '../upstash/access.js';
import { Failure } from '../upstash/exchange.js';
import type { WireRequest, WireResponse } from './wire.js';

const PATH = /^\/metrics\/?$/i;
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const SECOND_MS = 1000;

/** Numbers of an object beside those of its engine. */
export interface ObjectNumbers {
  readonly sockets: number;
  readonly logRows: number;
  readonly logBytes: number;
  readonly recoveryMs: number;
  /** Commands that waited for a turn. */
  readonly turnWaits: number;
}

export interface MetricsSource {
  /** The reply of INFO. */
  info(): string;
  numbers(): Promise<ObjectNumbers>;
}

type Kind = 'counter' | 'gauge';
type Metric = readonly [name: string, kind: Kind, help: string, value: number];

/** Metrics by the fields of INFO. */
const OF_INFO: readonly (readonly [field: string, name: string, kind: Kind, help: string])[] = [
  ['total_commands_processed', 'commands_processed_total', 'counter', 'Commands that ran.'],
  ['total_error_replies', 'error_replies_total', 'counter', 'Replies that were errors.'],
  ['connected_clients', 'connected_clients', 'gauge', 'Clients of the engine, those for requests of REST included.'],
  ['blocked_clients', 'blocked_clients', 'gauge', 'Clients that wait inside of a command.'],
  ['expired_keys', 'expired_keys_total', 'counter', 'Keys that expired.'],
  ['evicted_keys', 'evicted_keys_total', 'counter', 'Keys that were removed for memory.'],
  ['used_memory', 'memory_used_bytes', 'gauge', 'Memory of the keyspace.'],
  ['maxmemory', 'memory_max_bytes', 'gauge', 'Limit of that memory; 0 without one.'],
];

/** The response to a request for metrics; undefined for other requests. */
export function metricsFor(request: WireRequest, source: MetricsSource): Promise<WireResponse> | undefined {
  return PATH.test(request.path) ? metricsPage(request, source) : undefined;
}

async function metricsPage(request: WireRequest, source: MetricsSource): Promise<WireResponse> {
  if (request.method !== 'GET') throw new Failure(405, 'ERR metrics are read with GET');
  if (!isUnlimited(request.access)) throw new Failure(403, 'NOPERM this token may not read the metrics');
  const numbers = await source.numbers();
  const body = [...metricsOf(source.info()), ...metricsOfObject(numbers)].map(textOf).join('');
  return { status: 200, headers: { 'content-type': CONTENT_TYPE }, body };
}

/** Numbers of INFO by their fields. */
export function numbersIn(info: string): ReadonlyMap<string, number> {
  return new Map(Array.from(info.matchAll(/^(\w+):(\d+)/gm), ([, field = '', value]) => [field, Number(value)]));
}

function metricsOf(info: string): Metric[] {
  const facts = numbersIn(info);
  const keys = [...info.matchAll(/^db\d+:keys=(\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  const found = OF_INFO.map(([field, name, kind, help]): Metric => [name, kind, help, facts.get(field) ?? 0]);
  return [...found, ['keys', 'gauge', 'Keys of all databases.', keys]];
}

function metricsOfObject({ sockets, logRows, logBytes, recoveryMs, turnWaits }: ObjectNumbers): Metric[] {
  return [
    ['sockets', 'gauge', 'Open WebSockets.', sockets],
    ['log_rows', 'gauge', 'Rows of the log, its snapshot included.', logRows],
    ['log_bytes', 'gauge', 'Bytes of the log, its snapshot included.', logBytes],
    ['recovery_seconds', 'gauge', 'Time of the last recovery, by the clock of the platform.', recoveryMs / SECOND_MS],
    ['turn_waits_total', 'counter', 'Commands that waited to run together with others.', turnWaits],
  ];
}

function textOf([name, kind, help, value]: Metric): string {
  const full = `keylatch_${name}`;
  return `# HELP ${full} ${help}\n# TYPE ${full} ${kind}\n${full} ${value}\n`;
}
