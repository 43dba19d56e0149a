/** Pages of the lessons, recipes and tasks: the session as a document, its commands, and the next one; and their index. */

import { commandPath, lessonPath } from '../src/base/site-paths.ts';
import type { Addresses } from './addresses.ts';
import { neighbourLinks, type Page } from './document.ts';
import { type Form, formsMarkdown } from './forms.ts';
import type { LessonFile } from './lessons.ts';
import { anchorOf, escapeHtml, inline, plainText, type Rendering, renderMarkdown } from './markdown.ts';
import { type SessionPart, sessionParts } from './session-prose.ts';
import { rootFrom } from './site.ts';

const LABELS = { recipe: 'Recipe', task: 'Task', lesson: 'Lesson' } as const;

/** Targets of the links on the page of a lesson. */
interface Targets {
  readonly root: string;
  /** By number, the page of a lesson. */
  readonly lessons: ReadonlyMap<number, LessonFile>;
  /** Addresses of commands. */
  readonly commands: ReadonlySet<string>;
}

/** Pages of all lessons, and their index. */
export function lessonPages(files: readonly LessonFile[], forms: readonly Form[], addresses: Addresses): Page[] {
  const commands = new Set(addresses.commands.values());
  const lessons = new Map(files.map((file) => [numberOf(file.name), file]));
  const neighbours = files.map(({ name, title }) => ({ path: lessonPath(name), label: title }));
  const pages = files.map((file, index) => {
    const root = rootFrom(lessonPath(file.name));
    const own = forms.filter(({ path }) => path === `www/lessons/${file.name}.session`);
    return lessonPage(file, own, { root, lessons, commands }, neighbourLinks(neighbours, index, root));
  });
  return [...pages, lessonIndex(files)];
}

function lessonPage(
  { name, title, text }: LessonFile,
  forms: readonly Form[],
  targets: Targets,
  neighbours: string,
): Page {
  const path = lessonPath(name);
  const parts = sessionParts(text);
  const list = path.startsWith('recipes/') ? 'Recipes' : 'Lessons';
  return {
    path,
    title,
    description: descriptionOf(title, parts),
    main: `<p><a href="../">${list}</a> › ${labelOf(name)}</p>
<h1>${escapeHtml(title)}</h1>
<p><a href="${targets.root}index.html#lesson=${name}">Step through it in the playground</a></p>
${parts.map((part) => partHtml(part, targets)).join('\n')}
<div class="example"><template>${escapeHtml(text)}</template></div>
<h2 id="commands">Commands</h2>
<p>${commandLinks(parts, targets)}</p>
<h2 id="typescript">TypeScript</h2>
${renderMarkdown(formsMarkdown(forms), PLAIN)}
${neighbours}`,
  };
}

/** Links to the commands that a session runs, each once. */
function commandLinks(parts: readonly SessionPart[], { commands, root }: Targets): string {
  const lines = parts.flatMap((part) => (part.kind === 'code' ? part.lines : []));
  const names = lines.flatMap((line) => {
    const [, one = '', two = ''] = /^[\w.-]*> (?:\d+ )?([\w.]+)(?: (\w+))?/.exec(line) ?? [];
    const found = [`${one} ${two}`, one].find((name) => name !== '' && commands.has(commandPath(name)));
    return found === undefined ? [] : [found.trim().toUpperCase()];
  });
  return [...new Set(names)].map((name) => `<a href="${root}${commandPath(name)}"><code>${name}</code></a>`).join(' ');
}

function numberOf(name: string): number {
  return Number.parseInt(name, 10);
}

/** `Recipe 22`, by the number of the file. */
export function labelOf(name: string): string {
  const [, kind = 'lesson'] = /^\d+-(?:(recipe|task)-)?/.exec(name) ?? [];
  return `${LABELS[kind as keyof typeof LABELS]} ${numberOf(name)}`;
}

function descriptionOf(title: string, parts: readonly SessionPart[]): string {
  const prose = parts.flatMap((part) => (part.kind === 'paragraph' || part.kind === 'task' ? part.text : []));
  const text = plainText(prose[0] ?? '');
  return `${title}. ${/^.*?[.?](?=\s|$)/.exec(text)?.[0] ?? text}`;
}

const PLAIN: Rendering = {
  address: (target) => target,
  example: (text) => `<pre><code>${escapeHtml(text)}</code></pre>`,
};

function partHtml(part: SessionPart, targets: Targets): string {
  switch (part.kind) {
    case 'heading':
      return `<h2 id="${escapeHtml(anchorOf(part.text))}">${inline(part.text, PLAIN)}</h2>`;
    case 'paragraph':
      return `<p>${withLinks(inline(part.text, PLAIN), targets)}</p>`;
    case 'task':
      return `<p><strong>Your task:</strong> ${inline(part.text, PLAIN)}</p>`;
    case 'question':
      return `<p class="question"><strong>Question:</strong> ${inline(part.text, PLAIN)}${choices(part.choices)}</p>`;
    case 'goal':
      return `<p class="question"><strong>Aim:</strong> the reply <code>${escapeHtml(part.reply)}</code></p>`;
    case 'code':
      return `<pre><code>${escapeHtml(part.lines.join('\n'))}</code></pre>`;
  }
}

function choices(all: readonly string[]): string {
  if (all.length === 0) return '';
  return ` (${all.map((choice) => `<code>${escapeHtml(choice)}</code>`).join(', ')})`;
}

/** `lesson 6` as a link to that lesson. */
function withLinks(html: string, { lessons, root }: Targets): string {
  return html.replace(/\b[Ll]esson (\d+)\b/g, (words, number: string) => {
    const lesson = lessons.get(Number(number));
    return lesson
      ? `<a href="${root}${lessonPath(lesson.name)}" title="${escapeHtml(lesson.title)}">${words}</a>`
      : words;
  });
}

function lessonIndex(files: readonly LessonFile[]): Page {
  const listed = files.filter(({ name }) => lessonPath(name).startsWith('lessons/'));
  const items = listed.map(({ name, title, text }) => {
    const about = descriptionOf('', sessionParts(text)).slice(2);
    const link = `<a href="../${lessonPath(name)}">${escapeHtml(title)}</a>`;
    return `<tr><th scope="row">${labelOf(name)}</th><td>${link}<br />${escapeHtml(about)}</td></tr>`;
  });
  return {
    path: 'lessons/',
    title: 'Lessons: locks, queues and limits on Redis commands',
    description:
      'Sessions of Redis commands from SETNX to locks that hold: each is read as a page, and runs in the browser.',
    main: `<h1>Lessons</h1>
<p>Each lesson is a session: commands, their replies, and what they mean. It can be read here and run in place; the
<a href="../index.html#lessons">playground</a> steps through it and asks before it shows a reply. <a href="../recipes/">Recipes</a> are
listed with what they guarantee.</p>
<div class="table" tabindex="0" role="group" aria-label="Table"><table><tbody>
${items.join('\n')}
</tbody></table></div>`,
  };
}
