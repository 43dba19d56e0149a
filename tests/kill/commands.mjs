/** The steps as commands of a connection: MULTI, what `step` calls, EXEC. */
import { step } from './steps.mjs';

/** Stands in for a transaction, and notes the commands of its calls. */
class Recorder {
  commands = [];

  multi() {
    return new Proxy(this, { get: (_, name) => this.#method(name) });
  }

  #method(name) {
    if (name === 'exec') return () => {};
    return (...given) => {
      this.commands.push([name.toUpperCase(), ...given.flatMap(wordsOf)]);
      return this.multi();
    };
  }
}

/** Options and fields are objects. */
function wordsOf(given) {
  if (typeof given !== 'object') return [String(given)];
  return Object.entries(given).flatMap(([name, value]) => [name, String(value)]);
}

/** A command as RESP. */
export const resp = (words) => `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;

/** Step `number` as RESP. */
export function stepRequest(number) {
  const recorder = new Recorder();
  step(recorder, number);
  return [['MULTI'], ...recorder.commands, ['EXEC']].map(resp).join('');
}
