/** Commands as programs write them, of the pages of the site: the session up to each, its code, and the result that it states. */
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';

const ROOT = new URL('../../../', import.meta.url);
/** Time at which sessions begin. */
export const SESSION_START = 1_767_225_600_000;

/** Forms of all commands, and of the commands of each lesson. */
export function allForms() {
  const { commands, lessons } = JSON.parse(readFileSync(new URL('target/generated/forms.json', ROOT), 'utf8'));
  return [...commands, ...lessons];
}

/** The session in front of the use. */
export function sessionBefore({ path, line }) {
  return readFileSync(new URL(path, ROOT), 'utf8')
    .split('\n')
    .slice(0, line - 1)
    .join('\n');
}

/** The expression of a line of code, and the result behind it; undefined if it states none. */
export function partsOf(code) {
  const at = code.lastIndexOf(' // ');
  const expression = (at === -1 ? code : code.slice(0, at)).replace(/^await /, '');
  return { expression, stated: at === -1 ? undefined : code.slice(at + ' // '.length) };
}

/** A result as code states it. */
export function shown(result) {
  return inspect(result, { breakLength: Number.POSITIVE_INFINITY, depth: null, maxArrayLength: null })
    .replace(/\b(Set|Map)\(\d+\) /g, '$1 ')
    .replaceAll('[ ', '[')
    .replaceAll(' ]', ']')
    .replaceAll('[Object: null prototype] ', '');
}
