/** Address of the site, which is known only if it was said to the build, and what a page says about its own address. */

import { escapeHtml } from './markdown.ts';

/** Stands for the address of the site in documentation. */
export const ANY_SITE = 'https://example.org/keylatch';

/** Without a slash at its end. */
export const SITE = process.env['KEYLATCH_SITE']?.replace(/\/$/, '') || undefined;

/** Relative address of the site's root, seen from a page: '' from `index.html`, `../` from `docs/list.html`. */
export function rootFrom(path: string): string {
  return '../'.repeat(path.split('/').length - 1);
}

/** A link to the one address under which a page is known; none while the site's is not. */
export function canonical(path: string): string {
  return SITE === undefined ? '' : `<link rel="canonical" href="${escapeHtml(`${SITE}/${path}`)}" />\n`;
}

/** A list of all addresses for search engines, and `undefined` while the site's is not known. */
export function sitemap(paths: readonly string[]): string | undefined {
  if (SITE === undefined) return undefined;
  const urls = paths.map((path) => `<url><loc>${escapeHtml(`${SITE}/${path}`)}</loc></url>\n`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`;
}
