/**
 * The service worker, with the files of this build. Its text changes with every build, which is how browsers notice a
 * new version.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { PAGE_FOLDERS } from '../csp.ts';

/** Files that the page needs without a network. Pages of documentation and the engine with Lua are added when used. */
const NEEDED = /^(?:index\.html|assets\/(?!keylatch-lua).*)$/;
const ON_DEMAND = /^assets\/keylatch-lua.*\.wasm$/;
const BESIDE = ['favicon.svg', 'icon.png', 'manifest.webmanifest'];

export function offline(): Plugin {
  return {
    name: 'keylatch-offline',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const files = [...Object.keys(bundle).filter((file) => NEEDED.test(file)), ...BESIDE].sort();
        const hash = createHash('sha256');
        for (const file of files) {
          const part = bundle[file];
          hash.update(file);
          hash.update(
            part === undefined ? readFileSync(`public/${file}`) : part.type === 'chunk' ? part.code : part.source,
          );
        }
        const version = hash.digest('hex').slice(0, 12);
        const worker = readFileSync('src/offline/worker.js', 'utf8')
          .replace("'VERSION'", JSON.stringify(version))
          .replace("['FILES']", JSON.stringify(files))
          .replace("['FOLDERS']", JSON.stringify([...PAGE_FOLDERS, 'embed/', 'search.json']))
          .replace("'LUA'", JSON.stringify(Object.keys(bundle).find((file) => ON_DEMAND.test(file))));
        this.emitFile({ type: 'asset', fileName: 'worker.js', source: worker });
      },
    },
  };
}
