// Builds the package: target/engine (bindings and wasm), target/generated (the command table) and src become
// target/npm/keylatch. Engine and package can lie elsewhere: KEYLATCH_ENGINE and KEYLATCH_OUT. generate.mjs has to have printed
// the folders `generated` of src. Four steps: code (build/code.mjs), engine, declarations, the files beside them. KEYLATCH_NAME is
// the name of the package: keylatch-scripting has another engine, and takes the declarations of keylatch, which is built first.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENTRIES, PACKED, writeCode } from './build/code.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const engine = resolve(process.env.KEYLATCH_ENGINE || join(root, 'target', 'engine'));
const out = resolve(process.env.KEYLATCH_OUT || join(root, 'target', 'npm', 'keylatch'));
const name = process.env.KEYLATCH_NAME || 'keylatch';
const withLua = name !== 'keylatch';

/**
 * The engine as text, an ES module for both formats. CommonJS of Node reads the file keylatch.wasm instead; bundlers may
 * require an ES module. As CommonJS it would cost Node milliseconds: `import` searches that for names of exports.
 */
const wasm = readFileSync(join(engine, 'engine.wasm'));
const wasmHash = createHash('sha256').update(wasm).digest('hex').slice(0, 16);

async function packEngine() {
  const base64 = Buffer.from(await deflated()).toString('base64');
  const head = '// The WebAssembly engine as DEFLATE in base64, for programs without the file keylatch.wasm.';
  writeFileSync(join(out, 'esm', PACKED), `${head}\nexport const base64 = ${JSON.stringify(base64)};\n`);
}

/** The engine, deflated by Zopfli: a twentieth smaller than by zlib. Takes seconds, so the result is kept. */
async function deflated() {
  const folder = join(root, 'target', 'deflated');
  const kept = join(folder, `${name}-${wasmHash}.bin`);
  if (existsSync(kept)) return readFileSync(kept);
  // Loaded here only, since it listens to errors of the whole process.
  const { default: zopfli } = await import('@gfx/zopfli');
  const bytes = await zopfli.deflateAsync(wasm, { numiterations: withLua ? 5 : 15 });
  mkdirSync(folder, { recursive: true });
  const stale = readdirSync(folder).filter((file) => file.replace(/-[^-]*$/, '') === name);
  for (const file of stale) rmSync(join(folder, file));
  writeFileSync(kept, bytes);
  return bytes;
}

/** Entries by the names of their declarations; a browser's variant is declared as the other one. */
const DECLARED = Object.keys(ENTRIES).map((name) => [name, name.replace(/-browser$/, '')]);

/** Imports of types of the optional peer, which are any without it. */
const PEER_TYPES = /^import type .* from 'ioredis';$/m;

/** A declaration as the package has it: entries lie beside the folders of the others, and indentation is one space. */
function packedDeclaration(name, text) {
  const paths = name.startsWith('entries/') ? text.replaceAll(/from '\.\.\//g, "from './") : text;
  return paths
    .replace(PEER_TYPES, '// @ts-ignore\n$&')
    .replace(/^(?: {4})+/gm, (indent) => ' '.repeat(indent.length / 4));
}

/**
 * Declarations that the public entries reach, beside the code of CommonJS. The ES modules' repeat them by name: classes are
 * the same to a program that loads both, and editors read them once.
 */
function declarations() {
  if (withLua) return copyDeclarations();
  const scratch = join(out, 'declarations');
  const compiler = join(here, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(
    process.execPath,
    [compiler, '-p', here, '--declaration', '--emitDeclarationOnly', '--outDir', scratch],
    { stdio: 'inherit' },
  );
  const needed = new Set();
  const visit = (name) => {
    if (needed.has(name)) return;
    needed.add(name);
    const text = readFileSync(join(scratch, name), 'utf8');
    for (const [, path] of text.matchAll(/from '(\.[^']+)\.js'/g)) visit(join(dirname(name), `${path}.d.ts`));
  };
  for (const [, entry] of DECLARED) visit(`entries/${entry}.d.ts`);
  for (const name of needed) {
    const to = join(out, 'cjs', name.replace(/^entries\//, ''));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, packedDeclaration(name, readFileSync(join(scratch, name), 'utf8')));
  }
  for (const [name, entry] of DECLARED) {
    // A default export is a class with a name; as the default of a CommonJS module it would be the whole module.
    const [, named] = /^export default (\w+);$/m.exec(readFileSync(join(out, 'cjs', `${entry}.d.ts`), 'utf8')) ?? [];
    const again = named === undefined ? '' : `export { ${named} as default } from '../cjs/${entry}.js';\n`;
    writeFileSync(join(out, 'esm', `${name}.d.ts`), `export * from '../cjs/${entry}.js';\n${again}`);
  }
  rmSync(scratch, { recursive: true });
}

/** Takes the declarations of the package without Lua: they are of the same sources. */
function copyDeclarations() {
  const other = join(dirname(out), 'keylatch');
  for (const file of readdirSync(other, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    mkdirSync(dirname(join(out, file)), { recursive: true });
    copyFileSync(join(other, file), join(out, file));
  }
}

/** The manifest of the package with Lua, made of the other one's. */
function manifestWithLua(manifest) {
  return {
    ...manifest,
    name,
    description: 'keylatch with Lua: scripts and functions of Redis in a key-value engine of WebAssembly',
    keywords: [...manifest.keywords, 'lua', 'eval', 'scripting'],
    bin: { [name]: manifest.bin.keylatch },
  };
}

/** The README of the package with Lua: what differs, then the other one's text with the new name in its examples. */
function readme() {
  const text = readFileSync(join(here, 'README.md'), 'utf8');
  if (!withLua) return text;
  const imports = text
    .replaceAll(/(['"])keylatch(?=['"/])/g, `$1${name}`)
    .replaceAll(/\b(npm (?:i|install)|npx) keylatch\b/g, `$1 ${name}`);
  return (
    readFileSync(join(here, 'README-scripting.md'), 'utf8') + imports.replace(/^# keylatch\n/, '\n# All of keylatch\n')
  );
}

function besides() {
  const {
    scripts: _0,
    devDependencies: _1,
    ...manifest
  } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  const described = withLua ? manifestWithLua(manifest) : manifest;
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(described, null, 2)}\n`);
  writeFileSync(join(out, 'keylatch.wasm'), wasm);
  writeFileSync(join(out, 'README.md'), readme());
  copyFileSync(join(here, 'keylatch.wasm.d.ts'), join(out, 'keylatch.wasm.d.ts'));
  copyFileSync(join(root, 'target', 'generated', 'commands.json'), join(out, 'commands.json'));
  for (const name of ['LICENSE-MIT', 'LICENSE-APACHE', 'NOTICE']) {
    if (existsSync(join(root, name))) copyFileSync(join(root, name), join(out, name));
  }
}

/** Templates of `keylatch new`. npm leaves .gitignore out of a package, so the file has another name there. */
function templates() {
  const from = join(here, '..', 'durable-object');
  const to = join(out, 'templates', 'worker');
  for (const file of [
    '.dev.vars.example',
    '.gitignore',
    'README.md',
    'package.json',
    'tsconfig.json',
    'wrangler.jsonc',
    'src/worker.ts',
  ]) {
    const target = join(to, file === '.gitignore' ? 'gitignore' : file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(from, file), target);
  }
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await writeCode({
  source: join(here, 'src'),
  out,
  glue: join(engine, 'glue.js'),
  define: {
    ENGINE_BYTES: String(wasm.length),
    ENGINE_NAME: JSON.stringify(`${name} engine ${wasmHash}`),
    PACKAGE_NAME: JSON.stringify(name),
  },
});
await packEngine();
declarations();
besides();
templates();
