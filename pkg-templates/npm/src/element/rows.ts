/** Lines of a session as rows to show: with verdicts and what was received, up to the step that is shown. Pure. */
import type { SessionStep } from '../session/session.js';
import type { SessionLine, SessionLineKind } from '../session/session-lines.js';
import type { TypedSession } from './typed-session.js';

/** `stopped` is a client of a race that got another reply than its guard, `unmet` a line of such a guard. */
type Verdict = SessionStep['verdict'] | 'problem' | 'stopped' | 'unmet';

/**
 * Look of a row. `plain` is a line that no engine has read yet, `got` output that the text does not have, `note` a remark upon it.
 */
type Look =
  | Exclude<SessionLineKind, 'prompt' | 'race' | 'join' | 'enter' | 'leave' | 'literal' | 'ignored'>
  | 'mark'
  | 'blank'
  | 'plain'
  | 'got'
  | 'note';

export interface Row {
  readonly look: Look;
  /** Prompt or mark, and the rest. */
  readonly head: string;
  readonly rest: string;
  /** Number of the client, from 1; 0 for none. */
  readonly lane: number;
  readonly verdict: Verdict | undefined;
  /** True if the row belongs to a step that has not run. */
  readonly isLater: boolean;
  /** True for the line of the last step that has run. */
  readonly isCurrent: boolean;
}

/** Characters and lines of an output that are shown. */
const MAX_OUTPUT_LINES = 60;
const MAX_OUTPUT_CHARS = 4000;
const LANES = 8;
/** Looks of lines that belong to the step above them. */
const OF_STEP: ReadonlySet<Look> = new Set(['script', 'reply', 'anything', 'event', 'blank', 'plain']);
/** Several kinds look alike. */
const LOOKS: Readonly<Record<SessionLineKind, Look>> = {
  command: 'command',
  script: 'script',
  prompt: 'command',
  receive: 'receive',
  clock: 'clock',
  race: 'clock',
  join: 'clock',
  enter: 'mark',
  leave: 'mark',
  heading: 'heading',
  comment: 'comment',
  event: 'event',
  reply: 'reply',
  literal: 'reply',
  anything: 'anything',
  ignored: 'blank',
};

type Shown = Pick<TypedSession, 'whole' | 'lines' | 'stops' | 'at' | 'problem' | 'report'>;

export function rowsOf(state: Shown): Row[] {
  const { stops, at } = state;
  const byLine = new Map(stops.map((step) => [step.line, step]));
  const lanes = lanesOf(state.lines ?? []);
  const rows: Row[] = [];
  let step: SessionStep | undefined;
  let begun = 0;
  const finish = (): void => {
    if (step && begun <= at) rows.push(...resultRows(step));
    step = undefined;
  };
  for (const [index, { client, head, rest, look }] of linesOf(state).entries()) {
    const line = index + 1;
    const next = byLine.get(line);
    if (next || !OF_STEP.has(look)) finish();
    if (next) begun += 1;
    step = next ?? step;
    const done = begun <= at ? step : undefined;
    const verdict = done && (next ? verdictOf(done) : verdictOfLine(done, line));
    rows.push({
      look,
      head,
      rest,
      lane: look === 'command' || look === 'receive' ? (lanes.get(client) ?? 0) : 0,
      verdict: state.problem?.line === line ? 'problem' : verdict,
      isLater: state.report !== undefined && begun > at,
      isCurrent: next !== undefined && begun === at,
    });
  }
  finish();
  return withoutBlanksInside(rows);
}

/** Lines of the text with their looks. */
function linesOf({ whole, lines }: Shown): (Pick<SessionLine, 'client' | 'head' | 'rest'> & { look: Look })[] {
  if (lines) return lines.map(({ kind, client, head, rest }) => ({ look: LOOKS[kind], client, head, rest }));
  return whole.split('\n').map((rest) => ({ look: 'plain', client: '', head: '', rest }));
}

/** Only a race has steps that expect something and are not judged by it: guards that were not met, or not reached. */
function isUnmet({ verdict, expected }: SessionStep): boolean {
  return verdict === 'ran' && expected.length > 0;
}

function verdictOf(step: SessionStep): Verdict {
  return isUnmet(step) && step.printed.length > 0 ? 'stopped' : step.verdict;
}

/** Marks an expected line of a step that received others. */
function verdictOfLine(step: SessionStep, line: number): Verdict | undefined {
  const isOf = (wanted: SessionStep['expected']): boolean => wanted.some((one) => one.line === line);
  if (isUnmet(step)) return isOf(step.expected) ? 'unmet' : undefined;
  if (step.verdict !== 'mismatched') return undefined;
  const isWrong = (wanted: SessionStep['expected'], got: readonly string[]): boolean =>
    isOf(wanted) && differ(wanted, got);
  return isWrong(step.expected, step.printed) || isWrong(step.expectedEvents, step.events) ? 'mismatched' : undefined;
}

function differ(wanted: SessionStep['expected'], got: readonly string[]): boolean {
  return wanted.map(({ text }) => text).join('\n') !== got.join('\n');
}

/** Output that the text does not have, because none was expected, or another one, or anything. */
function resultRows(step: SessionStep): Row[] {
  const { expected, expectedEvents, printed, events, message } = step;
  const isWrong = step.verdict === 'mismatched';
  const rows: Row[] = [];
  const isOpen = expected.some(({ anything }) => anything);
  const isOther = (isWrong || isUnmet(step)) && differ(expected, printed);
  const isNew = expected.length > 0 ? isOpen || isOther : expectedEvents.length === 0 || !isWrong;
  if (isNew) rows.push(...outputRows(printed, isWrong));
  if (expectedEvents.length === 0) {
    const expired = events.filter((event) => event.startsWith('expired '));
    rows.push(...expired.map((event) => row('note', `${event.slice('expired '.length)} expired`)));
  } else if (isWrong && differ(expectedEvents, events)) {
    const lines = events.map((event) => `! ${event}`);
    rows.push(...outputRows(lines, true));
  }
  if (message) rows.push(row('note', message));
  return rows;
}

function outputRows(lines: readonly string[], isWrong: boolean): Row[] {
  if (lines.length === 0) return isWrong ? [row('note', 'nothing was received')] : [];
  const shown: Row[] = [];
  let chars = 0;
  for (const line of lines) {
    const rest = MAX_OUTPUT_CHARS - chars;
    if (shown.length === MAX_OUTPUT_LINES || rest <= 0) break;
    shown.push(row('got', line.length > rest ? `${line.slice(0, rest)}…` : line));
    chars += line.length;
  }
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, row('note', `and ${left} more lines`)] : shown;
}

function row(look: Look, rest: string): Row {
  return { look, head: '', rest, lane: 0, verdict: undefined, isLater: false, isCurrent: false };
}

/** Numbers of the clients in the order of their first line, if there are several. */
function lanesOf(lines: readonly SessionLine[]): ReadonlyMap<string, number> {
  const speaking = lines.filter(({ kind }) => kind === 'receive' || kind === 'command');
  const names = [...new Set(speaking.map(({ client }) => client))];
  return names.length < 2 ? new Map() : new Map(names.map((name, index) => [name, (index % LANES) + 1]));
}

/** Moves blank lines of the text behind the output that follows them: output stands below its command. */
function withoutBlanksInside(rows: Row[]): Row[] {
  const isOutput = ({ look }: Row): boolean => look === 'got' || look === 'note';
  const moved: Row[] = [];
  let blanks: Row[] = [];
  for (const one of rows) {
    if (one.look === 'blank' && one.rest.trim() === '') {
      blanks.push(one);
      continue;
    }
    if (!isOutput(one)) {
      moved.push(...blanks);
      blanks = [];
    }
    moved.push(one);
  }
  return moved;
}
