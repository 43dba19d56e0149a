// Compiles one of the page's pure TypeScript modules with the page's own Vite, so that plain `node --test` can test it.
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const page = new URL('../../../www/', import.meta.url);
const fromPage = createRequire(new URL('package.json', page));

/** The exports of `path`, counted from www/. */
export async function loadModule(path) {
  const { runnerImport } = await import(pathToFileURL(fromPage.resolve('vite')).href);
  const file = fileURLToPath(new URL(path, page));
  const { module } = await runnerImport(file, { configFile: false, logLevel: 'error', root: fileURLToPath(page) });
  return module;
}

/** The page's modules that read lines, with an engine for it. */
export async function loadTexts() {
  const texts = await loadModule('../tests/browser/pure/texts.js');
  const { Keylatch } = fromPage('keylatch');
  texts.readLinesWith(new Keylatch());
  return texts;
}

/** The hint functions as the page imports them: from the package. */
export function loadHints() {
  return fromPage('keylatch/hints');
}
