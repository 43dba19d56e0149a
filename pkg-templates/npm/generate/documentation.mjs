// Documentation of a printed method: the row's sentence, units, since, errors, and an example from its session file.
import { readSession, literal } from './examples.mjs';

/** Units that the names of parameters do not say. */
const UNITS = {
  'unix-time-seconds': 'in seconds since the epoch',
  'unix-time-milliseconds': 'in milliseconds since the epoch',
};

/** Errors that the types of a method prevent. */
const PREVENTED =
  /wrong number of arguments|syntax error|unknown|[Nn]umfields|FIELDS|mandatory argument|at the same time/;
/** Errors of a method's documentation are the first few. */
const ERRORS_MAX = 3;
const LINE_MAX = 116;
/** Results that show little: another use is preferred. */
const DULL = ['null', '0', '-2', '[]', 'Set {}', 'Map {}', "''"];

/** `7.4.0` as `Redis 7.4.0`; commands that Redis lacks name their server themselves. */
export function sinceOf(version) {
  return /^\d/.test(version) ? `Redis ${version}` : version;
}

function units(row, names) {
  const found = row.arguments.filter(({ name }) => name in UNITS);
  return found.map(({ name }) => `\`${names(name)}\` is ${UNITS[name]}.`).join(' ');
}

/** Codes of errors, with the text where it says more. */
function errorsOf(errors) {
  const wanted = errors.filter((error) => !PREVENTED.test(error));
  const shown = wanted.map((error) => (error.startsWith('WRONGTYPE') ? 'WRONGTYPE' : error));
  return [...new Set(shown)].slice(0, ERRORS_MAX);
}

function wrapped(text) {
  const lines = [''];
  for (const part of text.split(' ')) {
    const last = lines.at(-1);
    if (last.length + part.length + 1 > LINE_MAX) lines.push(part);
    else lines[lines.length - 1] = last === '' ? part : `${last} ${part}`;
  }
  return lines;
}

/** The call and its result in JavaScript, from the first use in the session that can be written so. */
function exampleOf(row, uses, method) {
  const found = [];
  for (const [request, reply] of uses) {
    const parts = readSession(request);
    const result = literal(reply, row);
    const args = parts && method.written(parts.slice(row.name.split('|').length));
    if (args === undefined || result === undefined) continue;
    const line = `db.${method.name}(${args.join(', ')}) // ${result}`;
    if (line.length <= LINE_MAX - 20) found.push({ line, isTelling: !DULL.includes(result) });
  }
  return (found.find(({ isTelling }) => isTelling) ?? found[0])?.line;
}

/** The comment in front of a printed method. */
export function documentation(row, note, examples, method) {
  const { uses = [], errors = [] } = examples[row.name] ?? {};
  const sentence = [row.summary, note, units(row, method.parameter), `Since ${sinceOf(row.since)}.`];
  const lines = wrapped(sentence.filter(Boolean).join(' '));
  const thrown = errorsOf(errors);
  if (thrown.length > 0) lines.push(...wrapped(`@throws ReplyError ${thrown.map((one) => `\`${one}\``).join(', ')}`));
  const example = exampleOf(row, uses, method);
  if (example !== undefined) lines.push(`@example ${example}`);
  return lines.length === 1
    ? `  /** ${lines[0]} */\n`
    : `  /**\n${lines.map((line) => `   * ${line}\n`).join('')}   */\n`;
}
