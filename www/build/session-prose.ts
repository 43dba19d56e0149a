/** A session as a document: its comments are paragraphs, its headings are headings, and the lines between are code. */

import { lessonMark } from '../src/lessons/lesson-marks.ts';

export type SessionPart =
  | { readonly kind: 'heading' | 'paragraph' | 'task'; readonly text: string }
  | { readonly kind: 'question'; readonly text: string; readonly choices: readonly string[] }
  | { readonly kind: 'goal'; readonly reply: string }
  | { readonly kind: 'code'; readonly lines: readonly string[] };

/** The parts of a lesson behind its title. */
export function sessionParts(text: string): SessionPart[] {
  const blocks = text.split('\n').reduce<string[][]>(
    (found, line, index, lines) => {
      const isNext = line.trim() === '' || kindOf(line) !== kindOf(lines[index - 1] ?? '');
      if (isNext) found.push([]);
      if (line.trim() !== '') found.at(-1)?.push(line);
      return found;
    },
    [[]],
  );
  const parts = blocks.filter((block) => block.length > 0).flatMap(partsOf);
  return parts[0]?.kind === 'heading' ? parts.slice(1) : parts;
}

/** Lines of one kind that follow each other are one part. */
function kindOf(line: string): string {
  if (!line.startsWith('#')) return 'code';
  return line.startsWith('##') || lessonMark(line) ? line : 'prose';
}

function partsOf(lines: readonly string[]): SessionPart[] {
  const [first = ''] = lines;
  if (!first.startsWith('#')) return [{ kind: 'code', lines }];
  if (first.startsWith('##')) return [{ kind: 'heading', text: first.replace(/^#+\s*/, '') }];
  const mark = lessonMark(first);
  if (mark === undefined)
    return [{ kind: 'paragraph', text: lines.map((line) => line.replace(/^#\s*/, '')).join(' ') }];
  if (mark.kind === 'question') return [{ kind: 'question', text: mark.question, choices: mark.choices }];
  if (mark.kind === 'goal') return [{ kind: 'goal', reply: mark.reply }];
  return mark.name === 'Task' ? [{ kind: 'task', text: mark.value }] : [];
}
