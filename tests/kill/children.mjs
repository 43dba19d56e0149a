/** Processes that are started, signalled and waited for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Longest time that a process has for its end. */
const END_MS_MAX = 30_000;

const children = new Set();

// A runner that fails or is stopped leaves no process.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => process.exit(1));

export class Child {
  #child;
  #waiting = [];
  output = '';
  errors = '';
  ended;

  constructor(command, args, options = {}) {
    this.#child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(this.#child);
    this.#child.stdout.setEncoding('latin1').on('data', (text) => {
      this.output += text;
      this.#look();
    });
    this.#child.stderr.setEncoding('latin1').on('data', (text) => {
      this.errors += text;
    });
    this.ended = once(this.#child, 'close').then(([code, signal]) => {
      children.delete(this.#child);
      this.#look(true);
      return signal ?? code;
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** Resolves to what the output matched. */
  says(pattern) {
    return new Promise((pass, fail) => {
      this.#waiting.push({ pattern, pass, fail });
      this.#look();
    });
  }

  #look(isEnded = false) {
    this.#waiting = this.#waiting.filter(({ pattern, pass, fail }) => {
      const found = pattern.exec(this.output);
      if (found !== null) pass(found);
      else if (isEnded) fail(new Error(`the process ended early: ${reasonIn(this.errors)}`));
      return found === null && !isEnded;
    });
  }

  /** Signals, and waits for the end. Resolves to the code, or to the signal that ended the process. */
  signal(name) {
    this.#child.kill(name);
    return this.endsWithin(END_MS_MAX, `after ${name}`);
  }

  /** Resolves to the code or signal; kills a process that goes on, and rejects. */
  async endsWithin(ms, title) {
    let timer;
    const late = new Promise((_, fail) => {
      timer = setTimeout(() => fail(new Error(`the process still runs ${ms} ms ${title}`)), ms);
    });
    try {
      return await Promise.race([this.ended, late]);
    } catch (error) {
      this.#child.kill('SIGKILL');
      await this.ended;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The line of an error output that says what happened. */
export function reasonIn(errors) {
  return /^.*Error\b.*$/m.exec(errors)?.[0] ?? errors.slice(0, 300);
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
