/** Loads the engine once for all elements that name the same file, and makes engines from it. */
import { Keylatch } from '../db/keylatch.js';
import { ManualClock } from '../host/clock.js';
import type { KeylatchOptions } from '../db/options.js';
import { compileAdvice } from '../host/compile.js';

export type EngineMaker = () => Keylatch;

/** Seed of `keylatch run`: random replies of a session are the same everywhere. */
const SEED = 0;
const FORBIDDEN = /content security policy|unsafe-eval|CSP/i;

/** Reason why there is no engine. */
export class EngineError extends Error {
  override readonly name = 'EngineError';

  constructor(
    message: string,
    /** True if the page's security policy is the reason. */
    readonly isForbidden: boolean,
  ) {
    super(message);
  }
}

/** Engines that were loaded or are on their way, by the address of their file; '' is the engine of the package. */
const makers = new Map<string, Promise<EngineMaker>>();

/** Rejects with an EngineError; the next call tries again. */
export function loadEngine(address: string): Promise<EngineMaker> {
  const known = makers.get(address);
  if (known) return known;
  const loading = address === '' ? ofPackage() : ofFile(address);
  makers.set(address, loading);
  loading.catch(() => makers.delete(address));
  return loading;
}

async function ofFile(address: string): Promise<EngineMaker> {
  const module = await compiled(await fetched(address), address);
  return () => Keylatch.from(module, options());
}

/** The engine as text, in a file of its own that bundlers split off: a page without a session never loads it. */
async function ofPackage(): Promise<EngineMaker> {
  const { builtIn } = await import('#engine').catch((error: unknown) => {
    throw new EngineError(`the engine could not be loaded: ${messageOf(error)}`, false);
  });
  const make = (): Keylatch => Keylatch.from(builtIn, options());
  const first = make();
  try {
    first.call('PING');
  } catch (error) {
    throw engineError(messageOf(error));
  } finally {
    first.close();
  }
  return make;
}

/** A policy that forbids the request shows by an event only: `fetch` fails as it does without a network. */
async function fetched(address: string): Promise<Response> {
  let isForbidden = false;
  const noted = ({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent): void => {
    isForbidden ||= effectiveDirective === 'connect-src' && address.startsWith(blockedURI.replace(/\/[^/]*$/, ''));
  };
  document.addEventListener('securitypolicyviolation', noted);
  try {
    const response = await fetch(address);
    if (!response.ok)
      throw new EngineError(`the engine was not found at ${address} (status ${response.status})`, false);
    return response;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    // The event is delivered in a task of its own.
    await new Promise((done) => setTimeout(done));
    throw new EngineError(`the engine could not be loaded from ${address}: ${messageOf(error)}`, isForbidden);
  } finally {
    document.removeEventListener('securitypolicyviolation', noted);
  }
}

async function compiled(response: Response, address: string): Promise<WebAssembly.Module> {
  const isStreamable = response.headers.get('content-type')?.startsWith('application/wasm');
  try {
    if (isStreamable) return await WebAssembly.compileStreaming(response);
    return await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    throw engineError(compileAdvice(error), address);
  }
}

function engineError(message: string, address = ''): EngineError {
  return new EngineError(address ? `${message} (${address})` : message, FORBIDDEN.test(message));
}

function options(): KeylatchOptions {
  return { clock: new ManualClock(), seed: SEED };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
