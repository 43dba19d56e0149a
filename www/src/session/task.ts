/** Tasks of lessons: races to repair. The learner edits a copy; its last part, the check, states the wanted replies. */

import { splitCommands, type SessionReport, type SessionStep as Step, typedWords } from 'keylatch/hints';
import { isLesson, lessonMark } from '../lessons/lesson-marks.ts';
import { rowOf } from '../commands/command-names.ts';

/** A condition of a task, and whether the text meets it. */
export interface Goal {
  readonly text: string;
  readonly met: boolean;
}

export interface Task {
  readonly task: string;
  /** The key that the clients race for. */
  readonly key: string;
  readonly granted: readonly string[];
  readonly refused: readonly string[];
}

const CHECK = /^## Check\s*$/m;

export function taskOf(text: string): Task | undefined {
  const lines = text.split('\n');
  if (!isLesson(lines)) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const mark = line.startsWith('#') ? lessonMark(line) : undefined;
    if (mark?.kind === 'header') headers.set(mark.name, mark.value);
  }
  const task = headers.get('Task');
  const names = (header: string): string[] => headers.get(header)?.split(', ') ?? [];
  return task === undefined
    ? undefined
    : { task, key: headers.get('Key') ?? '', granted: names('Granted'), refused: names('Refused') };
}

/** The text that a learner begins with: the check has the wanted replies, which differ from those that come. */
export function begun(text: string): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const mark = line.startsWith('#') ? lessonMark(line) : undefined;
    if (mark?.kind !== 'goal') lines.push(line);
    else {
      if (lines.at(-1)?.startsWith('>') === false) lines.pop();
      lines.push(mark.reply);
    }
  }
  return lines.join('\n');
}

/** The goals of a task and whether a learner's text meets them, in the order in which they are worked on. */
export function goalsOf(lesson: string, text: string, report: SessionReport | undefined): Goal[] {
  const task = taskOf(lesson);
  if (!task) return [];
  const steps = report?.steps ?? [];
  const wanted = checkOf(begun(lesson));
  const race = stepsAboveCheck(steps);
  const granted = task.granted.map((name) => ({
    text: `${name} is granted what it writes to ${task.key}`,
    met: lastWrite(race, name, task.key) === 'granted',
  }));
  const refused = task.refused.map((name) => ({
    text: `${name} asks, and its last command that writes to ${task.key} is refused`,
    met: lastWrite(race, name, task.key) === 'refused',
  }));
  const isWhole = wanted !== '' && checkOf(text) === wanted;
  const checked = steps.slice(race.length + 1);
  return [
    ...granted,
    ...refused,
    { text: 'the check is as it was', met: isWhole },
    {
      text: 'every reply of the check is the wanted one',
      met: isWhole && checked.length > 0 && checked.every(matches),
    },
    { text: 'the replies that you wrote above it are those that come', met: race.every(matches) && race.length > 0 },
  ];
}

/** The steps that the learner edits. */
export function stepsAboveCheck(steps: readonly Step[]): readonly Step[] {
  const check = steps.findIndex(({ kind, text }) => kind === 'heading' && /^#*\s*Check$/.test(text));
  return check === -1 ? steps : steps.slice(0, check);
}

function matches({ verdict }: Step): boolean {
  return verdict !== 'mismatched';
}

/** The part behind the heading of the check, without blank ends of lines. */
function checkOf(text: string): string {
  const at = text.search(CHECK);
  return at === -1
    ? ''
    : text
        .slice(at)
        .split('\n')
        .map((line) => line.trimEnd())
        .join('\n')
        .trim();
}

/** The outcome of a client's last command that writes to a key; undefined also if that is an error. */
function lastWrite(steps: readonly Step[], client: string, key: string): 'granted' | 'refused' | undefined {
  const last = steps.findLast((step) => step.kind === 'command' && step.client === client && writes(step.text, key));
  const [reply = '(nil)'] = last?.printed ?? ['(error)'];
  if (reply.startsWith('(error)')) return undefined;
  return /^(?:\(nil\)|\(integer\) 0|1\) \(integer\) 0|1\) "busy")$/.test(reply) ? 'refused' : 'granted';
}

function writes(text: string, key: string): boolean {
  const [command] = splitCommands(text);
  const { done } = typedWords(`${command?.text ?? ''} `);
  return done.includes(key, 1) && (rowOf(done[0] ?? '', done[1])?.flags.includes('write') ?? false);
}
