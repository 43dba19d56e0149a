/** History of the command line, one line per entry, in a file of the user's home. Errors are ignored. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const LINES_MAX = 1000;

export class History {
  readonly #path: string;

  /** KEYLATCH_HISTORY overrides the file. */
  constructor(path = process.env['KEYLATCH_HISTORY'] ?? join(homedir(), '.keylatch_history')) {
    this.#path = path;
  }

  /** Lines of earlier runs, newest first. Truncates a file that is too long. */
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

/** If the home cannot be read or written, there is no history; the command line works on. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
