/** The real ioredis, loaded by the files behind its main entry: a test may have replaced that one by this package. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A class of ioredis. */
export type Class = new (...args: never[]) => object;

/** Exports of ioredis, by name. */
export interface RealModule {
  readonly [name: string]: unknown;
  readonly Redis: Class;
  readonly Cluster: Class;
}

/** Exports of ioredis and the files that have them. */
const FILES: Readonly<Record<string, readonly [file: string, name: string]>> = {
  Redis: ['Redis', 'default'],
  Cluster: ['cluster', 'default'],
  Command: ['Command', 'default'],
  ScanStream: ['ScanStream', 'default'],
  Pipeline: ['Pipeline', 'default'],
  AbstractConnector: ['connectors/AbstractConnector', 'default'],
  SentinelConnector: ['connectors/SentinelConnector', 'default'],
  SentinelIterator: ['connectors/SentinelConnector', 'SentinelIterator'],
};

/** Loads ioredis as this package's peer, else as a package of the program; undefined if there is none. */
export function loadRealModule(): RealModule | undefined {
  for (const base of [import.meta.url, join(process.cwd(), 'package.json')]) {
    const require = createRequire(base);
    try {
      return modulesOf(require);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

function modulesOf(require: NodeJS.Require): RealModule {
  const exports: Record<string, unknown> = {};
  for (const [name, [file, exported]] of Object.entries(FILES)) {
    exports[name] = (require(`ioredis/built/${file}`) as Record<string, unknown>)[exported];
  }
  // ReplyError comes from a package that ioredis depends on, and the program perhaps does not.
  const { ReplyError } = createRequire(require.resolve('ioredis/built/Redis'))('redis-errors') as RealModule;
  return { ...exports, ReplyError } as unknown as RealModule;
}
