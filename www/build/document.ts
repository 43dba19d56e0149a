/**
 * HTML of a page beside the playground: its head, the header that all of them share, and its content. Without scripts it is
 * a document; the script adds what runs.
 */

import { metaPolicy } from '../csp.ts';
import { EMBED_FOLDER } from './embed.ts';
import { escapeHtml } from './markdown.ts';
import { canonical, rootFrom, SITE } from './site.ts';

/** A page of the site, as HTML within the shared frame. */
export interface Page {
  /** Address from the root of the site; a folder's ends with `/`. */
  readonly path: string;
  readonly title: string;
  /** A sentence for search engines and previews. */
  readonly description: string;
  readonly main: string;
}

/** Names of the built files that every page loads, from the root of the site. */
export interface PageFiles {
  readonly style: string;
  readonly script: string;
}

const NAVIGATION = [
  ['commands/', 'Commands'],
  ['lessons/', 'Lessons'],
  ['recipes/', 'Recipes'],
  ['docs/guides.html', 'Guides'],
] as const;

/** The file of a page. */
export function fileOf({ path }: Page): string {
  return path.endsWith('/') ? `${path}index.html` : path;
}

export function documentHtml(page: Page, files: PageFiles): string {
  const root = rootFrom(page.path);
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(metaPolicy)}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escapeHtml(page.title)} · keylatch</title>
<meta name="description" content="${escapeHtml(page.description)}" />
${preview(page)}${canonical(page.path)}<link rel="icon" href="${root}favicon.svg" type="image/svg+xml" />
<link rel="stylesheet" href="${root}${files.style}" />
<script src="${root}${files.script}" data-embed="${root}${EMBED_FOLDER}/keylatch-repl.js"></script>
</head>
<body class="docs">
<header><a href="${root}index.html">keylatch</a><nav aria-label="Documentation">${navigation(page, root)}</nav></header>
<main>
${page.main}
</main>
</body>
</html>
`;
}

/** Preview of a link to the page in a chat. The picture needs an address with a host. */
function preview({ title, description, path }: Page): string {
  const properties = [
    ['og:type', 'article'],
    ['og:site_name', 'keylatch'],
    ['og:title', title],
    ['og:description', description],
    ...(SITE === undefined
      ? []
      : [
          ['og:url', `${SITE}/${path}`],
          ['og:image', `${SITE}/card.png`],
        ]),
  ];
  return properties
    .map(([name = '', content = '']) => `<meta property="${name}" content="${escapeHtml(content)}" />\n`)
    .join('');
}

function navigation({ path }: Page, root: string): string {
  return NAVIGATION.map(([target, label]) => {
    const isWithin = path === target || (target.endsWith('/') && path.startsWith(target));
    const current = isWithin ? ` aria-current="${path === target ? 'page' : 'true'}"` : '';
    return `<a href="${root}${target}"${current}>${label}</a>`;
  }).join(' ');
}

/** Page at an address that has moved, for readers with and without scripts. */
export function movedPage(path: string, target: string, title: string): string {
  const address = `${rootFrom(path)}${target}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="refresh" content="0; url=${escapeHtml(address)}" />
<meta name="robots" content="noindex" />
<title>${escapeHtml(title)} · keylatch</title>
${canonical(target)}</head>
<body><p>${escapeHtml(title)}: <a href="${escapeHtml(address)}">this page has moved</a>.</p></body>
</html>
`;
}

/** Links to the pages before and behind one of a list. */
export function neighbourLinks(
  list: readonly { readonly path: string; readonly label: string }[],
  index: number,
  root: string,
): string {
  const link = (at: number, rel: string, word: string): string => {
    const page = list[at];
    return page ? `<a href="${root}${page.path}" rel="${rel}">${word}: ${escapeHtml(page.label)}</a>` : '';
  };
  return `<nav class="neighbours" aria-label="Neighbours">${link(index - 1, 'prev', 'Before')}${link(index + 1, 'next', 'Next')}</nav>`;
}
