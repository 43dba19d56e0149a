/** Builds the page into target/www: relative addresses, no inline code, the engine as a file, and a size budget. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { docsPages } from './build/docs-pages.ts';
import { offline } from './build/offline.ts';
import { headers, metaPolicy } from './csp.ts';

const OUT_DIR = '../target/www';
const BUDGET_BYTES = 350 * 1024;
const COUNTED = /\.(?:js|css|wasm)$/;

/** The policy as a meta tag, the engine's file announced before any script runs, and the header file for static hosts. */
function pageHead(): Plugin {
  return {
    name: 'keylatch-page-head',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, context) {
        const wasm = Object.keys(context.bundle ?? {}).find((file) => file.endsWith('.wasm'));
        const policy = { 'http-equiv': 'Content-Security-Policy', content: metaPolicy };
        const preload = {
          rel: 'preload',
          as: 'fetch',
          type: 'application/wasm',
          crossorigin: 'anonymous',
          href: `./${wasm}`,
        };
        return [
          { tag: 'meta', attrs: policy, injectTo: 'head-prepend' as const },
          {
            tag: 'meta',
            attrs: { property: 'og:image', content: `${SITE.replace(/\/?$/, '/')}card.png` },
            injectTo: 'head' as const,
          },
          ...(wasm ? [{ tag: 'link', attrs: preload, injectTo: 'head' as const }] : []),
        ];
      },
    },
    generateBundle() {
      const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`);
      const source = `/*\n${lines.join('')}`;
      this.emitFile({ type: 'asset', fileName: '_headers', source });
    },
  };
}

/** Removes the indentation of style sheets inside modules from the built page. */
function shortStyles(): Plugin {
  return {
    name: 'keylatch-short-styles',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/src\/.*\.ts$/ },
      handler(code) {
        const short = code.replace(/\bcss`[^`]*`/g, (sheet) =>
          sheet.replace(/\s+/g, ' ').replace(/ ?([{};]) ?/g, '$1'),
        );
        return { code: short, map: null };
      },
    },
  };
}

/** Keeps the columns of the command table that the page reads; the others would only be downloaded. */
function shortTable(): Plugin {
  const unread = new Set(['categories', 'reply']);
  return {
    name: 'keylatch-short-table',
    enforce: 'pre',
    transform: {
      filter: { id: /commands\.json$/ },
      handler: (json) => ({
        code: JSON.stringify(JSON.parse(json, (column, value) => (unread.has(column) ? undefined : value))),
        map: null,
      }),
    },
  };
}

/** Leaves the engine as text out: the page loads it as a file. */
function withoutPackedEngine(): Plugin {
  const stub = '\0packed-engine';
  return {
    name: 'keylatch-without-packed-engine',
    enforce: 'pre',
    resolveId: { filter: { id: /packed-engine\.js$/ }, handler: () => stub },
    load: { filter: { id: /packed-engine$/ }, handler: () => "export const base64 = '';" },
  };
}

/** Prints the download sizes beside their budgets. */
function sizeBudget(): Plugin {
  let outDir = OUT_DIR;
  return {
    name: 'keylatch-size-budget',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      const files = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).filter((file) => COUNTED.test(file));
      const bytes = files.reduce(
        (sum, file) => sum + gzipSync(readFileSync(join(outDir, file)), { level: 9 }).length,
        0,
      );
      const verdict = bytes > BUDGET_BYTES ? 'OVER the budget of' : 'of at most';
      console.log(`page: JS + CSS + wasm ${kilobytes(bytes)} KB gzip, ${verdict} ${kilobytes(BUDGET_BYTES)}`);
    },
  };
}

/** Facts that the footer shows. */
function facts(): Record<string, string> {
  const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');
  const manifest = JSON.parse(read('../target/npm/keylatch/package.json')) as {
    version: string;
    repository?: string | { url: string };
  };
  const { repository } = manifest;
  const source = typeof repository === 'object' ? repository.url.replace(/^git\+|\.git$/g, '') : repository;
  const redis = /REDIS_VERSION: &str = "([\d.]+)"/.exec(read('../src/server/mod.rs'))?.[1];
  if (!redis) throw new Error('src/server/mod.rs does not name a version of Redis');
  const entries = { __VERSION__: manifest.version, __REDIS_VERSION__: redis, __SOURCE__: source ?? '' };
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, JSON.stringify(value)]));
}

/** Address of the site, for links that other programs show: they need whole addresses. */
const SITE = process.env['KEYLATCH_SITE'] ?? './';

function kilobytes(bytes: number): string {
  return (bytes / 1024).toFixed(1);
}

export default defineConfig({
  base: './',
  define: facts(),
  plugins: [withoutPackedEngine(), shortStyles(), shortTable(), pageHead(), docsPages(), offline(), sizeBudget()],
  build: {
    target: 'es2023',
    // Browsers with light-dark(); for older ones the colours would be rewritten to a fallback.
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    outDir: OUT_DIR,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: { main: 'index.html', docs: 'src/docs/main.ts' } },
  },
  json: { stringify: true },
  // A missing file is a 404, instead of the page.
  appType: 'mpa',
  preview: { headers },
});
