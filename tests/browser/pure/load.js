// Compiles one of the page's pure TypeScript modules with the page's own Vite, so that plain `node --test` can try it.
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const page = new URL("../../../www/", import.meta.url);

/** The exports of `path`, counted from www/. */
export async function loadModule(path) {
  const vite = createRequire(new URL("package.json", page)).resolve("vite");
  const { runnerImport } = await import(pathToFileURL(vite).href);
  const file = fileURLToPath(new URL(path, page));
  const { module } = await runnerImport(file, { configFile: false, logLevel: "error", root: fileURLToPath(page) });
  return module;
}
