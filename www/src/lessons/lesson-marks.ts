/**
 * Lines of lessons that are comments to the engine and mean something to the page: `# Themes: locks` and other headers,
 * `#? question [choice | choice]` in front of a command, and `#= reply` for the reply that a task aims at. Pure.
 */

const HEADER_LINES = 4;

export type LessonMark =
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'question'; readonly question: string; readonly choices: readonly string[] }
  | { readonly kind: 'goal'; readonly reply: string };

/** True if the first lines of a session, in steps or lines, have the header of a lesson. Only there comments have marks. */
export function isLesson(lines: readonly string[]): boolean {
  return lines.slice(0, HEADER_LINES).some((line) => /^(?:#\s*)?Themes: /.test(line));
}

/** The meaning of a comment in a lesson; undefined: it is prose. With or without its `#`. */
export function lessonMark(comment: string): LessonMark | undefined {
  const text = comment.trim().replace(/^#/, '').trim();
  const [, name, value] = /^(Themes|Task|Key|Granted|Refused): (.+)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { kind: 'header', name, value };
  const reply = /^= (.*)$/.exec(text)?.[1];
  if (reply !== undefined) return { kind: 'goal', reply };
  return text.startsWith('?') ? questionOf(text.slice(1).trim()) : undefined;
}

/** `question [choice | choice]`, or a question alone. */
function questionOf(text: string): LessonMark | undefined {
  if (text === '') return undefined;
  const open = text.endsWith(']') ? text.indexOf('[', 1) : -1;
  if (open === -1 || open + 2 >= text.length) return { kind: 'question', question: text, choices: [] };
  return { kind: 'question', question: text.slice(0, open).trimEnd(), choices: text.slice(open + 1, -1).split(' | ') };
}
