/** Builds the page into target/www: relative addresses, no inline code, the engine as a file, and a size budget. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';
import { commandColumns } from './build/command-columns.ts';
import { docsPages } from './build/docs-pages.ts';
import { EMBED_FILES, embed } from './build/embed.ts';
import { isOfFirstView, modulesOfFirstView } from './build/first-view.ts';
import { lessonList } from './build/lessons.ts';
import { offline } from './build/offline.ts';
import { SITE } from './build/site.ts';
import { headersFile, headersOf, metaPolicy } from './csp.ts';

const OUT_DIR = '../target/www';
const BUDGET_BYTES = 350 * 1024;
const COUNTED = /\.(?:js|css|wasm)$/;

/** Files that a visit loads only when a script in Lua is to run. */
const ON_DEMAND = 'keylatch-lua';

function isOnDemand(file: string): boolean {
  return file.includes(ON_DEMAND);
}

/** Name of a built asset: both engines are called keylatch.wasm. */
function assetName({ originalFileNames }: { readonly originalFileNames: readonly string[] }): string {
  const withLua = originalFileNames.some((name) => name.includes('keylatch-scripting'));
  return `assets/${withLua ? ON_DEMAND : '[name]'}-[hash][extname]`;
}

/** The policy as a meta tag, the engine's file announced before any script runs, and the header file for static hosts. */
function pageHead(): Plugin {
  return {
    name: 'keylatch-page-head',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, context) {
        const wasm = Object.keys(context.bundle ?? {}).find((file) => file.endsWith('.wasm') && !isOnDemand(file));
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
          ...addressTags(),
          ...(wasm ? [{ tag: 'link', attrs: preload, injectTo: 'head' as const }] : []),
        ];
      },
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: '_headers', source: headersFile() });
    },
  };
}

/** The one address of the page, if it is known, and that of its picture: previews need addresses with a host. */
function addressTags(): HtmlTagDescriptor[] {
  const property = (name: string, content: string): HtmlTagDescriptor => ({
    tag: 'meta',
    attrs: { property: name, content },
    injectTo: 'head',
  });
  const picture = property('og:image', `${SITE ?? '.'}/card.png`);
  if (SITE === undefined) return [picture];
  const own: HtmlTagDescriptor = { tag: 'link', attrs: { rel: 'canonical', href: `${SITE}/` }, injectTo: 'head' };
  return [own, property('og:url', `${SITE}/`), picture];
}

/** Sends the headers of `_headers` in the preview server, too. */
function previewHeaders(): Plugin {
  return {
    name: 'keylatch-preview-headers',
    configurePreviewServer(server) {
      server.middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url ?? '/', 'http://preview');
        for (const [name, value] of Object.entries(headersOf(pathname))) response.setHeader(name, value);
        next();
      });
    },
  };
}

/** The import of a module with templates or style sheets. */
const COMPONENT = /^import .* from 'lit';$/m;

/** Removes comments and blanks of style sheets and templates inside modules from the built page. */
function shortTemplates(): Plugin {
  return {
    name: 'keylatch-short-templates',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/src\/.*\.ts$/ },
      handler(code) {
        const styles = code.replace(/\bcss`[^`]*`/g, (sheet) =>
          sheet
            .replace(/\/\*.*?\*\//gs, '')
            .replace(/\s+/g, ' ')
            .replace(/ ?([{};]) ?/g, '$1')
            .replace(/([:,]) /g, '$1')
            .replace(/;}/g, '}'),
        );
        // Components have no texts in which an indentation means something.
        return { code: COMPONENT.test(code) ? styles.replace(/\n\s+/g, '\n') : styles, map: null };
      },
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

/** Leaves `<keylatch-repl>` out: of its entry the page takes shared code alone. */
function withoutElement(): Plugin {
  return {
    name: 'keylatch-without-element',
    enforce: 'pre',
    resolveId: {
      filter: { id: /^keylatch\/element$/ },
      async handler(id, importer) {
        const resolved = await this.resolve(id, importer, { skipSelf: true });
        return resolved && { ...resolved, moduleSideEffects: false };
      },
    },
  };
}

/** The address of the explorer's script, built with the page: it shares the files of the engine. */
function raceWorker(): Plugin {
  const script = '/src/race/worker.ts';
  let isBuild = false;
  return {
    name: 'keylatch-race-worker',
    configResolved({ command }) {
      isBuild = command === 'build';
    },
    resolveId: { filter: { id: /^virtual:race-worker$/ }, handler: () => '\0race-worker' },
    load: {
      filter: { id: /race-worker$/ },
      handler() {
        if (!isBuild) return `export default ${JSON.stringify(script)};`;
        const file = this.emitFile({ type: 'chunk', id: join(import.meta.dirname, script), name: 'race-worker' });
        return `export default import.meta.ROLLUP_FILE_URL_${file};`;
      },
    },
  };
}

/** Prints the download sizes of a visit beside their budgets. */
function sizeBudget(): Plugin {
  let outDir = OUT_DIR;
  return {
    name: 'keylatch-size-budget',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      const built = readdirSync(outDir, { recursive: true, encoding: 'utf8' });
      const files = built.filter((file) => COUNTED.test(file) && !EMBED_FILES.test(file) && !isOnDemand(file));
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
  const redis = /REDIS_VERSION: &str = "([\d.]+)"/.exec(read('../src/resp/mod.rs'))?.[1];
  if (!redis) throw new Error('src/resp/mod.rs does not name a version of Redis');
  const entries = { __VERSION__: manifest.version, __REDIS_VERSION__: redis, __SOURCE__: source ?? '' };
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, JSON.stringify(value)]));
}

function kilobytes(bytes: number): string {
  return (bytes / 1024).toFixed(1);
}

export default defineConfig({
  base: './',
  define: facts(),
  plugins: [
    withoutPackedEngine(),
    withoutElement(),
    raceWorker(),
    shortTemplates(),
    commandColumns(),
    lessonList(),
    modulesOfFirstView(),
    pageHead(),
    previewHeaders(),
    embed(),
    docsPages(),
    offline(),
    sizeBudget(),
  ],
  build: {
    target: 'es2023',
    // Browsers with light-dark(); for older ones the colours would be rewritten to a fallback.
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    outDir: OUT_DIR,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { main: 'index.html', docs: 'src/style/docs.css' },
      output: {
        assetFileNames: assetName,
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: 'page', test: isOfFirstView }],
        },
      },
    },
  },
  // The packages are links into target/npm.
  server: { fs: { allow: ['..'] } },
  // A missing file is a 404, instead of the page.
  appType: 'mpa',
});
