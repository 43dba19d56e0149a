/** `keylatch new`: writes a project from a template of the package. */
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CallerTypeError } from '../base/caller-errors.js';
import { printOut } from './output.js';
import { readVersion } from './package-files.js';

/** Name of the package; the build puts it here. */
declare const PACKAGE_NAME: string;

export const NEW_USAGE = `keylatch new worker DIR    writes a Cloudflare Worker into DIR, a folder that is new or empty: Redis over HTTPS,
                           by a Durable Object with an engine for each namespace`;

/** Folders of `templates`. */
const TEMPLATES = ['worker'];
/** Files that npm would take for its own, by their names in the package. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };
const TOKEN_BYTES = 24;

/** Writes a template. Returns the exit code. */
export function create(words: readonly string[]): number {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) {
    printOut(NEW_USAGE);
    return 0;
  }
  const [template, folder, ...more] = positionals;
  if (template === undefined || folder === undefined || more.length > 0 || !TEMPLATES.includes(template))
    throw new CallerTypeError(`expected a template (${TEMPLATES.join(', ')}) and a folder: new worker DIR`);
  refuseContents(folder);
  writeTemplate(fileURLToPath(new URL(`../templates/${template}`, import.meta.url)), folder);
  const secrets = `# Secrets of \`npx wrangler dev\` on this machine. Those of a deployment are set by \`npx wrangler secret put\`.
KEYLATCH_TOKEN="${randomBytes(TOKEN_BYTES).toString('base64url')}"
`;
  writeFileSync(join(folder, '.dev.vars'), secrets, { mode: 0o600 });
  printOut(nextSteps(folder));
  return 0;
}

function refuseContents(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new CallerTypeError(`${folder} is a file: name a folder that is new or empty`);
  if (readdirSync(folder).length > 0)
    throw new CallerTypeError(`${folder} is not empty, and nothing was written: name a folder that is new or empty`);
}

function writeTemplate(from: string, to: string): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const source = join(entry.parentPath, entry.name);
    const target = join(to, relative(from, dirname(source)), RENAMED[entry.name] ?? entry.name);
    mkdirSync(dirname(target), { recursive: true });
    if (entry.name === 'package.json') writeFileSync(target, manifest(readFileSync(source, 'utf8')));
    else copyFileSync(source, target);
  }
}

/** The manifest with this package, of this version, as the engine. */
function manifest(text: string): string {
  const version = PACKAGE_NAME === 'keylatch' ? readVersion() : `npm:${PACKAGE_NAME}@${readVersion()}`;
  return text.replace(/("keylatch": )"[^"]*"/, `$1${JSON.stringify(version)}`);
}

function nextSteps(folder: string): string {
  return `wrote a Worker to ${folder}; its README.md says what it promises. Next:

  cd ${folder}
  npm install
  npx wrangler dev                # with the token in .dev.vars; then, in another terminal:
  curl http://localhost:8787/set/door/me -H "authorization: Bearer TOKEN"

  npx wrangler secret put KEYLATCH_TOKEN
  npx wrangler deploy`;
}
