/**
 * Files for other sites: the script `embed/VERSION/keylatch-repl.js` with the engine beside it, at an address that never
 * changes its content, and the page `embed/index.html` for frames.
 */

import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { metaPolicy } from '../csp.ts';
import { escapeHtml } from './markdown.ts';
import { bundledScript } from './script.ts';

const PACKAGE = new URL('../../target/npm/keylatch/', import.meta.url);
const WITH_LUA = new URL('../../target/npm/keylatch-scripting/', import.meta.url);
const { version: VERSION } = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')) as { version: string };

/** Folder of the script, from the root of the site. */
export const EMBED_FOLDER = `embed/${VERSION}`;

/** Files for other sites: they belong to no page of this one. */
export const EMBED_FILES = /^embed\//;

export function embed(): Plugin {
  return {
    name: 'keylatch-embed',
    apply: 'build',
    async generateBundle() {
      const emit = (name: string, source: string | Uint8Array): void =>
        void this.emitFile({ type: 'asset', fileName: `embed/${name}`, source });
      emit(`${VERSION}/keylatch-repl.js`, await bundledScript('src/embed/script.ts', [withoutEngineAsText()]));
      emit(`${VERSION}/frame.js`, await bundledScript('src/embed/frame.ts'));
      emit(`${VERSION}/frame.css`, readFileSync('src/style/embed.css', 'utf8'));
      emit(`${VERSION}/keylatch.wasm`, readFileSync(new URL('keylatch.wasm', PACKAGE)));
      emit(`${VERSION}/keylatch-lua.wasm`, readFileSync(new URL('keylatch.wasm', WITH_LUA)));
      emit('index.html', framedPage());
    },
  };
}

/** Leaves the engine as text out: it lies beside the script as a file. */
function withoutEngineAsText(): Plugin {
  const stub = '\0engine-as-text';
  return {
    name: 'keylatch-without-engine-as-text',
    enforce: 'pre',
    resolveId: { filter: { id: /^\.\/engine\.js$/ }, handler: () => stub },
    load: { filter: { id: /engine-as-text$/ }, handler: () => 'export const builtIn = undefined;' },
  };
}

function framedPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(metaPolicy)}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<meta name="robots" content="noindex" />
<title>A session of keylatch</title>
<link rel="icon" href="../favicon.svg" type="image/svg+xml" />
<link rel="stylesheet" href="./${VERSION}/frame.css" />
<script src="./${VERSION}/keylatch-repl.js" defer></script>
<script src="./${VERSION}/frame.js" defer></script>
</head>
<body>
<main><h1>A session of keylatch</h1><keylatch-repl></keylatch-repl></main>
<noscript><p class="without-script">This session runs in the page and needs JavaScript.</p></noscript>
</body>
</html>
`;
}
