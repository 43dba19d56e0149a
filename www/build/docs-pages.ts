/**
 * Pages beside the playground, as files of the build: the commands and their groups, the session format, the guides of
 * docs/guides, and the licences. Examples run in place by the element that other sites embed; without scripts they are
 * text, and a link opens them in the playground.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { commandPath } from '../src/base/site-paths.ts';
import { type Addresses, addressOf, type Origin } from './addresses.ts';
import { type Command, commandAddresses, commandMarkdown, type Group, groupOf, titleOf } from './command-pages.ts';
import { documentHtml, fileOf, movedPage, neighbourLinks, type Page } from './document.ts';
import { EMBED_FOLDER } from './embed.ts';
import { type Form, readForms } from './forms.ts';
import { lessonPages } from './lesson-pages.ts';
import { lessonFiles } from './lessons.ts';
import { escapeHtml, plainText, renderMarkdown } from './markdown.ts';
import type { SearchEntry } from '../src/search/search.ts';
import { bundledScript } from './script.ts';
import { searchEntries } from './search-index.ts';
import { ANY_SITE, rootFrom, SITE, sitemap } from './site.ts';

const COMMANDS = '../target/docs/commands';
const GUIDES = '../docs/guides';
/** Pages of Markdown that are not in the folder `docs` of the site. */
const ELSEWHERE: Readonly<Record<string, string>> = { commands: 'commands/', recipes: 'recipes/' };
const LICENCES = ['LICENSE-MIT', 'LICENSE-APACHE', 'NOTICE'];

/** A page of Markdown. */
interface Source extends Origin {
  readonly markdown: string;
}

/** Emits the pages and the licences. */
export function docsPages(): Plugin {
  return {
    name: 'keylatch-docs-pages',
    apply: 'build',
    async generateBundle(_options, bundle) {
      const sheets = Object.values(bundle).filter((part) => part.type === 'asset' && part.names.includes('docs.css'));
      if (sheets.length !== 1) this.error('the style of the documentation was not built');
      const emit = (fileName: string, source: string): void => void this.emitFile({ type: 'asset', fileName, source });
      const script = this.emitFile({
        type: 'asset',
        name: 'pages.js',
        source: await bundledScript('src/pages/pages.ts'),
      });
      const files = { style: sheets[0]?.fileName ?? '', script: this.getFileName(script) };
      const { pages, index } = site();
      for (const page of pages) emit(fileOf(page), documentHtml(page, files));
      emit('search.json', JSON.stringify(index));
      const addresses = sitemap(['', ...pages.map(({ path }) => path)]);
      if (addresses !== undefined) emit('sitemap.xml', addresses);
      for (const [path, target, title] of MOVED) emit(path, movedPage(path, target, title));
      for (const name of LICENCES) emit(`docs/${name}.txt`, readFileSync(join('..', name), 'utf8'));
    },
  };
}

/** Addresses of earlier versions, the present ones, and titles. */
const MOVED = [
  ['docs/index.html', 'commands/', 'Commands'],
  ['docs/recipes.html', 'recipes/', 'Recipes on plain commands'],
] as const;

/** All pages, and the index of the search over them. */
function site(): { pages: Page[]; index: SearchEntry[] } {
  const groups = namesOf(COMMANDS).map((name) => groupOf(name, readFileSync(join(COMMANDS, `${name}.md`), 'utf8')));
  const sources = [
    ...groups.map(({ name, opening }) => source(name, opening, 'commands')),
    source('commands', readFileSync(join(COMMANDS, 'README.md'), 'utf8'), 'commands'),
    ...['sessions', 'limits', 'locks-migration', 'locks', 'recipes'].map((name) =>
      source(name, readFileSync(`../docs/${name}.md`, 'utf8'), 'guides'),
    ),
    ...['README', ...namesOf(GUIDES)].map((file) => guide(file)),
  ];
  const addresses: Addresses = {
    pages: new Map(sources.map(({ name, path }) => [name, path])),
    commands: commandAddresses(groups),
  };
  const forms = readForms();
  const lessons = lessonFiles();
  const documents = sources.map((page) => ({ ...page, ...pageOf(page, addresses) }));
  const guides = documents.filter(({ list, name }) => list === 'guides' && name !== 'guides');
  return {
    pages: [
      ...documents,
      ...commandPages(groups, forms.commands, addresses),
      ...lessonPages(lessons, forms.lessons, addresses),
    ],
    index: searchEntries(
      lessons,
      guides.map((guide) => ({ ...guide, about: guide.description })),
    ),
  };
}

/** Names of the Markdown files of a folder, without its list. */
function namesOf(folder: string): string[] {
  return readdirSync(folder).flatMap((file) => (file === 'README.md' ? [] : file.replace(/\.md$/, '')));
}

function source(name: string, markdown: string, list: string): Source {
  return { name, path: ELSEWHERE[name] ?? `docs/${name}.html`, list, markdown };
}

/** A guide, with the addresses of this site. */
function guide(file: string): Source {
  const versioned = readFileSync(join(GUIDES, `${file}.md`), 'utf8').replaceAll('embed/VERSION', EMBED_FOLDER);
  const name = file === 'README' ? 'guides' : file;
  return source(name, versioned.replaceAll(ANY_SITE, SITE ?? ANY_SITE), 'guides');
}

function pageOf(page: Source, addresses: Addresses): Page {
  const title = titleOf(page.markdown) ?? page.name;
  return { path: page.path, title, description: descriptionOf(page.markdown), main: rendered(page, addresses) };
}

/** The first sentence of the first paragraph. */
function descriptionOf(markdown: string): string {
  const paragraph = markdown.split('\n\n').find((block) => /^[^#<|`\n-]/.test(block)) ?? '';
  return plainText(/^.*?\.(?=\s|$)/s.exec(paragraph)?.[0] ?? paragraph);
}

/** Pages of all commands, in the order of the index. */
function commandPages(groups: readonly Group[], forms: readonly Form[], addresses: Addresses): Page[] {
  const commands = groups.flatMap((group) => group.commands.map((command) => ({ command, group })));
  const neighbours = commands.map(({ command: { name } }) => ({ path: commandPath(name), label: name }));
  return commands.map(({ command, group }, index) => {
    const links = neighbourLinks(neighbours, index, rootFrom(commandPath(command.name)));
    return commandPage(commandMarkdown(command, group, forms), command, links, addresses);
  });
}

function commandPage(
  markdown: string,
  { name, summary, group }: Command,
  neighbours: string,
  addresses: Addresses,
): Page {
  const path = commandPath(name);
  const main = rendered({ name: group, path, list: 'commands', markdown }, addresses);
  return {
    path,
    title: `${name} command, with an example that runs`,
    description: `${name}: ${plainText(summary)} Syntax, replies, errors, and an example that runs in the page.`,
    main: `${main}\n${neighbours}`,
  };
}

function rendered(page: Source, addresses: Addresses): string {
  const root = rootFrom(page.path);
  return renderMarkdown(page.markdown, {
    address: (target) => addressOf(target, page, addresses),
    linkAnchor: (target) => (isMoved(target, page, addresses) ? target.slice(1) : undefined),
    example: (text, language) => example(text, language, root),
  });
}

/** True for a link within a page to what was a section of it, and is a page. */
function isMoved(target: string, { name }: Origin, { commands }: Addresses): boolean {
  return target.startsWith('#') && commands.has(name + target);
}

/** A block with commands runs, unless its language says otherwise; others, such as the syntax, are shown. */
function example(text: string, language: string, root: string): string {
  const code = `<pre><code>${escapeHtml(text)}</code></pre>`;
  if (!/^(?:session|text)?$/.test(language) || !/^[\w.-]*>/m.test(text)) return code;
  const link = `${root}index.html#s=${encodeURIComponent(text)}`;
  return `<div class="example"><keylatch-repl>${code}</keylatch-repl>
<p><a href="${escapeHtml(link)}">Open in the playground</a></p></div>`;
}
