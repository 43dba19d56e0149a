/**
 * Pages of documentation beside the playground: the commands, printed from the rows, and the session format. Examples
 * run in place; without scripts, a link opens them in the playground.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { metaPolicy } from '../csp.ts';
import { escapeHtml, renderMarkdown, type Rendering } from './markdown.ts';

const COMMANDS = '../target/docs/commands';
const ENTRY = 'docs';
const LICENCES = ['LICENSE-MIT', 'LICENSE-APACHE', 'NOTICE'];

interface DocsPage {
  /** File name without its extension. */
  readonly name: string;
  readonly markdown: string;
}

/** Emits the pages and the licences. */
export function docsPages(): Plugin {
  return {
    name: 'keylatch-docs-pages',
    apply: 'build',
    generateBundle(_options, bundle) {
      const entry = Object.values(bundle).find((part) => part.type === 'chunk' && part.isEntry && part.name === ENTRY);
      if (entry?.type !== 'chunk') this.error('the script of the documentation was not built');
      const styles = [...(entry.viteMetadata?.importedCss ?? [])];
      const pages = allPages();
      for (const page of pages) {
        const source = htmlOf(page, pages, entry.fileName, styles);
        this.emitFile({ type: 'asset', fileName: `docs/${page.name}.html`, source });
      }
      for (const name of LICENCES)
        this.emitFile({ type: 'asset', fileName: `docs/${name}.txt`, source: readFileSync(join('..', name), 'utf8') });
    },
  };
}

function allPages(): DocsPage[] {
  const commands = readdirSync(COMMANDS).map((file) => ({
    name: file === 'README.md' ? 'index' : file.replace(/\.md$/, ''),
    markdown: readFileSync(join(COMMANDS, file), 'utf8'),
  }));
  return [...commands, { name: 'sessions', markdown: sessionFormat() }];
}

/** The section on session files, which has its place in CONTRIBUTING. */
function sessionFormat(): string {
  const contributing = readFileSync('../CONTRIBUTING.md', 'utf8');
  const section = /^## Session files\n([\s\S]*)$/m.exec(contributing)?.[1]?.split(/^## /m)[0] ?? '';
  const own = section.split('**Running them.**')[0] ?? '';
  return `# Session format\n${own}`;
}

function htmlOf(page: DocsPage, pages: readonly DocsPage[], script: string, styles: readonly string[]): string {
  const title = /^# (.*)$/m.exec(page.markdown)?.[1] ?? page.name;
  const rendering: Rendering = { address: (target) => addressOf(target, pages), example };
  const sheets = styles.map((file) => `<link rel="stylesheet" href="../${file}" />`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(metaPolicy)}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escapeHtml(title)} · keylatch</title>
<link rel="icon" href="../favicon.svg" type="image/svg+xml" />
${sheets}
<script type="module" src="../${script}"></script>
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
  ];
  return links
    .map(([name, label]) => `<a href="${name}.html"${page.name === name ? ' aria-current="page"' : ''}>${label}</a>`)
    .join(' ');
}

/** Links between pages; files of the repository have no place on the site. */
function addressOf(target: string, pages: readonly DocsPage[]): string | undefined {
  if (/^https:/.test(target) || target.startsWith('#')) return target;
  const [, file = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
  const name = file === 'README' ? 'index' : file;
  return pages.some((page) => page.name === name) ? `${name}.html${anchor}` : undefined;
}

/** A block with commands runs; others, such as the syntax, are shown. */
function example(text: string): string {
  const code = `<pre><code>${escapeHtml(text)}</code></pre>`;
  if (!/^[\w.-]*>/m.test(text)) return code;
  const link = `../index.html#s=${encodeURIComponent(text)}`;
  return `<div class="example">${code}<p><a href="${escapeHtml(link)}">Open in the playground</a></p></div>`;
}
