/**
 * Pages of documentation beside the playground: the commands, printed from the rows, the session format, and the guides
 * of docs/guides. Examples run in place by the element that other sites embed; without scripts they are text, and a link
 * opens them in the playground.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { metaPolicy } from '../csp.ts';
import { EMBED_FOLDER } from './embed.ts';
import { escapeHtml, renderMarkdown, type Rendering } from './markdown.ts';
import { ANY_SITE, SITE } from './site.ts';

const COMMANDS = '../target/docs/commands';
const GUIDES = '../docs/guides';
/** Name of the page that lists the guides. */
const GUIDE_LIST = 'guides';
const LICENCES = ['LICENSE-MIT', 'LICENSE-APACHE', 'NOTICE'];

interface DocsPage {
  /** File name without its extension. */
  readonly name: string;
  readonly markdown: string;
  /** Name of the list that the page belongs to. */
  readonly list: string;
}

/** Emits the pages and the licences. */
export function docsPages(): Plugin {
  return {
    name: 'keylatch-docs-pages',
    apply: 'build',
    generateBundle(_options, bundle) {
      const sheets = Object.values(bundle).filter((part) => part.type === 'asset' && part.names.includes('docs.css'));
      if (sheets.length !== 1) this.error('the style of the documentation was not built');
      const pages = allPages();
      for (const page of pages) {
        const source = htmlOf(page, pages, sheets[0]?.fileName ?? '');
        this.emitFile({ type: 'asset', fileName: `docs/${page.name}.html`, source });
      }
      for (const name of LICENCES)
        this.emitFile({ type: 'asset', fileName: `docs/${name}.txt`, source: readFileSync(join('..', name), 'utf8') });
    },
  };
}

function allPages(): DocsPage[] {
  const besideGuides = pagesOf('../docs', GUIDE_LIST, ['limits.md', 'locks.md', 'recipes.md']);
  const sessions = pagesOf('../docs', 'index', ['sessions.md']);
  return [...pagesOf(COMMANDS, 'index'), ...sessions, ...pagesOf(GUIDES, GUIDE_LIST).map(addressed), ...besideGuides];
}

function pagesOf(folder: string, list: string, files = readdirSync(folder)): DocsPage[] {
  return files.map((file) => ({
    name: file === 'README.md' ? list : file.replace(/\.md$/, ''),
    markdown: readFileSync(join(folder, file), 'utf8'),
    list,
  }));
}

/** Puts the addresses of this site into a guide. */
function addressed(page: DocsPage): DocsPage {
  const versioned = page.markdown.replaceAll('embed/VERSION', EMBED_FOLDER);
  return { ...page, markdown: versioned.replaceAll(ANY_SITE, SITE ?? ANY_SITE) };
}

function htmlOf(page: DocsPage, pages: readonly DocsPage[], style: string): string {
  const title = /^# (.*)$/m.exec(page.markdown)?.[1] ?? page.name;
  const rendering: Rendering = { address: (target) => addressOf(target, page, pages), example };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(metaPolicy)}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escapeHtml(title)} · keylatch</title>
<link rel="icon" href="../favicon.svg" type="image/svg+xml" />
<link rel="stylesheet" href="../${style}" />
<script src="../${EMBED_FOLDER}/keylatch-repl.js" defer></script>
</head>
<body class="docs">
<header><a href="../index.html">keylatch playground</a><nav aria-label="Documentation">${navigation(page)}</nav></header>
<main>
${renderMarkdown(page.markdown, rendering)}
</main>
</body>
</html>
`;
}

function navigation(page: DocsPage): string {
  const links = [
    ['index', 'Commands'],
    ['sessions', 'Session format'],
    [GUIDE_LIST, 'Guides'],
  ];
  return links
    .map(([name, label]) => {
      const current = page.name === name ? ' aria-current="page"' : '';
      return `<a href="${name}.html"${current}>${label}</a>`;
    })
    .join(' ');
}

/** Links between pages; files of the repository have no place on the site. */
function addressOf(target: string, page: DocsPage, pages: readonly DocsPage[]): string | undefined {
  if (/^https:/.test(target) || target.startsWith('#')) return target;
  const lesson = /lessons\/([\w-]+)\.session$/.exec(target)?.[1];
  if (lesson) return `../index.html#lesson=${lesson}`;
  const [, folder = '', file = '', anchor = ''] = /^((?:[\w.-]+\/)*)([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
  const isList = file === 'README' || file === 'commands';
  const name = isList ? (folder === '' ? page.list : 'index') : file;
  return pages.some((page) => page.name === name) ? `${name}.html${anchor}` : undefined;
}

/** A block with commands runs, unless its language says otherwise; others, such as the syntax, are shown. */
function example(text: string, language: string): string {
  const code = `<pre><code>${escapeHtml(text)}</code></pre>`;
  if (!/^(?:session|text)?$/.test(language) || !/^[\w.-]*>/m.test(text)) return code;
  const link = `../index.html#s=${encodeURIComponent(text)}`;
  return `<div class="example"><keylatch-repl>${code}</keylatch-repl>
<p><a href="${escapeHtml(link)}">Open in the playground</a></p></div>`;
}
