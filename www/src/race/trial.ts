/**
 * Trials of a task: races in which the learner's commands run in every order. A file of them has a heading for each. Comments in
 * it stand for commands: `# Lines of A` for those of A at any reply, `# Lines of A, with replies` for those at the replies that
 * the learner wrote; `# Lines of A as C` has another client in the place of A. `# Without crashes and clock steps` leaves out
 * these events. Pure.
 */

import type { SessionStep } from 'keylatch/hints';

export interface Trial {
  readonly title: string;
  /** Session with one race. */
  readonly text: string;
  readonly crashes: boolean;
  readonly clockSteps: boolean;
}

const LINES = /^# Lines of (?<client>\w+)(?: as (?<other>\w+))?(?<guarded>, with replies)?$/;

/** The trials of a file with the steps above the check in the places of its comments. */
export function trialsOf(file: string, steps: readonly SessionStep[]): Trial[] {
  return file
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.trimEnd().split('\n');
      const left = lines.find((line) => line.startsWith('# Without ')) ?? '';
      const text = lines.flatMap((line) => filled(line, steps)).join('\n');
      return {
        title,
        text: `${text}\n`,
        crashes: !left.includes('crashes'),
        clockSteps: !left.includes('clock steps'),
      };
    });
}

function filled(line: string, steps: readonly SessionStep[]): string[] {
  const { client = '', other = client, guarded } = LINES.exec(line)?.groups ?? {};
  if (client === '') return [line];
  const own = steps.filter((step) => step.client === client && (step.kind === 'command' || step.kind === 'receive'));
  return own.flatMap(({ kind, text, expected }) => {
    const replies = expected.map((reply) => (reply.anything ? '...' : `| ${renamed(reply.text, client, other)}`));
    const head = kind === 'command' ? `${other}> ${renamed(text, client, other)}` : `${other}<`;
    return [head, ...(guarded ? replies : [])];
  });
}

/** A text with another word in the place of a name, also within quotes. */
function renamed(text: string, name: string, other: string): string {
  return text.replace(new RegExp(`(?<=^|[\\s"'])${name}(?=$|[\\s"'])`, 'g'), other);
}
