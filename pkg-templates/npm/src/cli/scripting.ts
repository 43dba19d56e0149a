/** `--scripting`: runs the command line of the package with Lua in place of this one's. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Name of the package; the build puts it here. */
declare const PACKAGE_NAME: string;

/** The option, which may stand anywhere among the words. */
export const SCRIPTING = '--scripting';

const OTHER = 'keylatch-scripting';

/** True in the package with Lua. */
export const hasLua = PACKAGE_NAME === OTHER;

/** The other package: beside this one, or where the program was started. */
function manifestPath(): string | undefined {
  for (const place of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json'))]) {
    try {
      return createRequire(place).resolve(`${OTHER}/package.json`);
    } catch {}
  }
  return undefined;
}

/** Runs the other package's command line, which ends with an exit code of its own. */
export async function runWithLua(words: readonly string[], refuse: (problem: string) => number): Promise<number> {
  const manifest = manifestPath();
  if (manifest === undefined) {
    return refuse(`${SCRIPTING} needs the package ${OTHER}, which was not found: npm install ${OTHER}`);
  }
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: Record<string, string> };
  process.argv.splice(2, Infinity, ...words);
  await import(pathToFileURL(join(dirname(manifest), bin[OTHER] ?? '')).href);
  return Number(process.exitCode ?? 0);
}
