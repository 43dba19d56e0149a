/**
 * Pages of the commands, one for each command with its subcommands as sections: cut from the pages of the groups, which are
 * printed from the rows and the session files.
 */

import { commandPath } from '../src/base/site-paths.ts';
import { type Form, formsMarkdown } from './forms.ts';
import { anchorOf } from './markdown.ts';

/** A page of a group, and the sections of its commands. */
export interface Group {
  /** Name of its file without an extension, such as `sorted-set`. */
  readonly name: string;
  readonly title: string;
  /** Markdown in front of the first section: title and list. */
  readonly opening: string;
  readonly commands: readonly Command[];
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly group: string;
  /** Markdown of its section and of those of its subcommands. */
  readonly sections: readonly Section[];
}

export interface Section {
  readonly name: string;
  readonly markdown: string;
}

/** Reads the Markdown of a group's page. */
export function groupOf(name: string, markdown: string): Group {
  const [opening = '', ...parts] = sectionsOf(markdown);
  const commands: { name: string; sections: Section[] }[] = [];
  for (const part of parts) {
    const section = { name: /^## (.*)$/m.exec(part)?.[1] ?? '', markdown: part };
    const last = commands.at(-1);
    if (last && section.name.startsWith(`${last.name} `)) last.sections.push(section);
    else commands.push({ name: section.name, sections: [section] });
  }
  return {
    name,
    title: titleOf(opening) ?? name,
    opening,
    commands: commands.map((command) => ({ ...command, group: name, summary: summaryOf(command.sections) })),
  };
}

/** The text in front of the first heading of the second level, and that from each such heading on. Sessions have such lines, too. */
function sectionsOf(markdown: string): string[] {
  let isCode = false;
  return markdown.split(/^(?=## |```)/m).reduce<string[]>((sections, part) => {
    if (part.startsWith('```')) isCode = !isCode;
    if (sections.length > 0 && (isCode || !part.startsWith('## '))) sections.push(`${sections.pop()}${part}`);
    else sections.push(part);
    return sections;
  }, []);
}

export function titleOf(markdown: string): string | undefined {
  return /^# (.*)$/m.exec(markdown)?.[1];
}

/** The paragraph below the first heading. */
function summaryOf([first]: readonly Section[]): string {
  return first?.markdown.split('\n\n')[1] ?? '';
}

/** Addresses of commands by the places of their sections, such as `string#setnx`. */
export function commandAddresses(groups: readonly Group[]): Map<string, string> {
  const sections = groups.flatMap(({ name, commands }) =>
    commands.flatMap((command) => command.sections.map((section) => [name, section.name] as const)),
  );
  return new Map(sections.map(([group, name]) => [`${group}#${anchorOf(name)}`, commandPath(name)]));
}

/** Markdown of a command's page: its own section is the page's title, and those of subcommands are below it. */
export function commandMarkdown({ sections, group }: Command, { title }: Group, forms: readonly Form[]): string {
  const [own = '', ...others] = sections.map((section) => withForms(section, forms));
  const text = own.replace(/^## /, '# ').replace(/^### (?=(?:Example|Replies|Errors|TypeScript|Lessons)$)/gm, '## ');
  const parts = [text, ...others];
  return `[Commands](README.md) › [${title}](${group}.md)\n\n${parts.join('\n')}`.replace(/^More in \[.*\n/gm, '');
}

/** A section with its form in TypeScript in front of its lessons. */
function withForms({ name, markdown }: Section, forms: readonly Form[]): string {
  const form = forms.find((one) => one.name.replace('|', ' ') === name);
  if (form === undefined) return markdown;
  const [text = '', lessons] = markdown.split(/^(?=### Lessons$)/m);
  return `${text}\n### TypeScript\n\n${formsMarkdown([form])}\n${lessons ?? ''}`;
}
