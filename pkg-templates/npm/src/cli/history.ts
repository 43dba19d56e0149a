/** The history of the command line in a file of the user's home, one line each. Never in the way: errors are ignored. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const LINES_MAX = 1000;

export class History {
  readonly #path: string;

  /** KEYLATCH_HISTORY names another file. */
  constructor(path = process.env['KEYLATCH_HISTORY'] ?? join(homedir(), '.keylatch_history')) {
    this.#path = path;
  }

  /** The lines of earlier runs, newest first. Cuts a file that grew too long. */
  load(): string[] {
    const lines = attempt(() => readFileSync(this.#path, 'utf8').split('\n').filter(Boolean)) ?? [];
    const kept = lines.slice(-LINES_MAX);
    if (kept.length < lines.length) attempt(() => writeFileSync(this.#path, `${kept.join('\n')}\n`));
    return kept.reverse();
  }

  add(line: string): void {
    attempt(() => appendFileSync(this.#path, `${line}\n`, { mode: 0o600 }));
  }
}

/** A home that cannot be read or written costs the history, not the session. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
