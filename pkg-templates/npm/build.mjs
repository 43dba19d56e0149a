// Builds the package: target/engine (bindings and wasm), target/generated (the command table) and src become
// target/npm/keylatch. Engine and package can lie elsewhere: KEYLATCH_ENGINE and KEYLATCH_OUT. generate.mjs has to have printed
// the folders `generated` of src. Four steps: bundles, declarations, the command line, the files beside them. KEYLATCH_NAME is
// the name of the package: keylatch-scripting has another engine, and takes the declarations of keylatch, which is built first.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const engine = resolve(process.env.KEYLATCH_ENGINE || join(root, 'target', 'engine'));
const out = resolve(process.env.KEYLATCH_OUT || join(root, 'target', 'npm', 'keylatch'));
const name = process.env.KEYLATCH_NAME || 'keylatch';
const withLua = name !== 'keylatch';
const source = (name = '') => join(here, 'src', name);

/**
 * Files that bundles import instead of holding copies of these sources. All that a bundle needs of such a source must be an
 * export of the file.
 */
const LAYERS = {
  'stand-ins.js': ['base/stand-ins.ts', 'base/stack.ts'],
  'core.js': ['base/errors.ts', 'host/clock.ts', 'db/keylatch.ts', 'entries/core.ts'],
  'index.js': ['base/errors.ts', 'host/clock.ts', 'db/built-in.ts'],
  'element-shared.js': [
    'element/line-kinds.ts',
    'element/needs-lua.ts',
    'element/permalink.ts',
    'element/session-state.ts',
    'element/shared.ts',
    'element/themes.ts',
    'element/verdict.ts',
  ],
  'hints.js': ['hints/complete.ts', 'hints/hint.ts', 'hints/script-fault.ts', 'hints/unfinished.ts'],
  'persist.js': ['persist/open-files.ts'],
  'upstash.js': ['adapters/upstash/node-listener.ts'],
  'persist-browser.js': ['persist/errors.ts', 'persist/indexeddb.ts', 'persist/open-browser.ts'],
  'server.js': ['server/create-server.ts', 'server/server.ts'],
  'testing-shared.js': ['testing/clock.ts', 'testing/portable.ts'],
  'testing.js': ['session/session-report.ts', 'testing/run-session.ts', 'testing/test-server.ts'],
};

/**
 * The engine as text, an ES module for both formats. CommonJS of Node reads the file keylatch.wasm instead; bundlers may
 * require an ES module. As CommonJS it would cost Node milliseconds: `import` searches that for names of exports.
 */
const PACKED = 'packed-engine.js';
const wasm = readFileSync(join(engine, 'engine.wasm'));
const wasmHash = createHash('sha256').update(wasm).digest('hex').slice(0, 16);
/** Different for every build of the engine. */
const ENGINE_NAME = `${name} engine ${wasmHash}`;

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

/** First line of each bundle; esbuild names the source files between their parts. */
const BANNER =
  '// keylatch: documentation is in the declarations (.d.ts) and README.md. Not minified: bundlers do that.';

/** Options of all bundles. The code stays readable: in stacks, in debuggers, and for those that step into it. */
const SHARED = {
  bundle: true,
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
  absWorkingDir: join(here, 'src'),
  banner: { js: BANNER },
  inject: [source('base/globals.ts')],
  define: {
    ENGINE_BYTES: String(wasm.length),
    ENGINE_NAME: JSON.stringify(ENGINE_NAME),
    PACKAGE_NAME: JSON.stringify(name),
  },
};

/**
 * Leaves imports of the sources of layers to the layers' files in `folder`, relative to the bundle. Of two layers with a
 * source, the first named has it.
 */
function layers(names, folder = '.', renamed = {}) {
  const files = new Map();
  for (const name of names.toReversed()) {
    for (const file of LAYERS[name]) files.set(file, `${folder}/${renamed[name] ?? name}`);
  }
  return {
    name: 'layers',
    setup(bundle) {
      bundle.onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, kind, resolveDir }) => {
        const layer = files.get(relative(source(), join(resolveDir, path)).replace(/js$/, 'ts'));
        if (layer === undefined || kind === 'entry-point') return undefined;
        return { path: layer, external: true, sideEffects: false };
      });
    },
  };
}

/** Puts the generated engine files where `#glue` and `#packed-engine` stand. */
function engineFiles(format) {
  return {
    name: 'engine files',
    setup(bundle) {
      bundle.onResolve({ filter: /\/keylatch\.wasm$/ }, () => ({ path: '../keylatch.wasm', external: true }));
      bundle.onResolve({ filter: /^#glue$/ }, () => ({ path: join(engine, 'glue.js') }));
      bundle.onResolve({ filter: /^\.\/engine-text\.js$/ }, () => ({ path: source(`db/engine-text-${format}.ts`) }));
      bundle.onResolve({ filter: /^#packed-engine$/ }, () => ({ path: `../esm/${PACKED}`, external: true }));
    },
  };
}

/** Workers get the engine from a static import: they compile nothing at run time. */
const engineOfWorkerd = {
  name: 'engine of workerd',
  setup(bundle) {
    bundle.onResolve({ filter: /\/engine-inline\.js$/ }, () => ({ path: source('db/engine-workerd.ts') }));
  },
};

function bundle(format, entryPoints, plugins, options) {
  return build({
    entryPoints,
    ...SHARED,
    outdir: join(out, format),
    format,
    target: 'es2022',
    platform: 'neutral',
    // publint knows an ES module by its export at the beginning of a line.
    footer: format === 'esm' ? { js: 'export {};' } : {},
    plugins: [...plugins, engineFiles(format)],
    ...options,
  });
}

const bundleOf = (name, out) => ({ in: source(`${name}.ts`), out });
const entry = (name, out = name) => bundleOf(`entries/${name}`, out);

async function bundles() {
  const ofEngine = ['stand-ins.js', 'index.js'];
  for (const format of ['esm', 'cjs']) {
    const add = (names, layersOfAll) => bundle(format, names, [layers(layersOfAll)]);
    await bundle(format, [bundleOf('base/stand-ins', 'stand-ins')], [], { inject: [] });
    await add([entry('core'), entry('hints'), entry('keyv'), entry('locks'), entry('upstash')], ['stand-ins.js']);
    await add([entry('index')], ['stand-ins.js', 'core.js']);
    await add([bundleOf('testing/portable', 'testing-shared'), entry('persist-browser')], ofEngine);
    await add([entry('testing-portable', 'testing-browser')], ['testing-shared.js']);
    await add([entry('tabs')], [...ofEngine, 'persist-browser.js']);
  }
  // An element is for pages: an ES module alone, and nothing of the other bundles in it.
  const ofElement = ['stand-ins.js', 'core.js', 'index.js'];
  await bundle('esm', [bundleOf('element/shared', 'element-shared')], [layers(ofElement)]);
  await bundle('esm', [entry('element')], [layers([...ofElement, 'element-shared.js'])]);
  // workerd.js stands in for index.js and carries the engine of another source.
  await bundle('esm', [entry('index', 'workerd')], [layers(['stand-ins.js', 'core.js']), engineOfWorkerd]);
  const ofWorkerd = [entry('testing-portable', 'testing-workerd'), entry('persist-browser', 'persist-workerd')];
  await bundle('esm', ofWorkerd, [layers(ofEngine, '.', { 'index.js': 'workerd.js' })]);
  writeFileSync(join(out, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
  await packEngine();
}

/** Entries for Node alone, each with the files that it imports. */
const FOR_NODE = {
  persist: ['index.js'],
  server: ['index.js', 'persist.js'],
  testing: ['index.js', 'server.js', 'testing-shared.js'],
  ioredis: ['index.js', 'testing.js'],
};

function forNode(format, [name, imported]) {
  return build({
    entryPoints: [entry(name)],
    ...SHARED,
    define: { ...SHARED.define, HERE: format === 'esm' ? 'import.meta.url' : '__filename' },
    outdir: join(out, format),
    format,
    target: 'node20',
    platform: 'node',
    plugins: [layers(['stand-ins.js', ...imported])],
  });
}

/**
 * Makes `require('keylatch/ioredis')` the class itself, with all exports as static members, as `require('ioredis')` is.
 */
function exportClass() {
  // Tools that read a module without running it find the default export by the last line.
  const lines = [
    'const exported = module.exports;',
    'module.exports = Object.assign(exported.default, exported);',
    "Object.defineProperty(module.exports, '__esModule', { value: true });",
    'module.exports.default = exported.default;',
  ];
  appendFileSync(join(out, 'cjs', 'ioredis.js'), `${lines.join('\n')}\n`);
}

async function commandLine() {
  await build({
    entryPoints: [bundleOf('cli/keylatch', 'keylatch')],
    ...SHARED,
    outdir: join(out, 'cli'),
    format: 'esm',
    target: 'node20',
    platform: 'node',
    plugins: [layers(['stand-ins.js', 'index.js', 'hints.js', 'server.js', 'testing.js', 'upstash.js'], '../esm')],
  });
}

/** Declarations of the ES modules, each with the entry that declares it. */
const DECLARED = {
  ...Object.fromEntries(
    [
      'core',
      'element',
      'hints',
      'index',
      'ioredis',
      'keyv',
      'locks',
      'persist',
      'server',
      'tabs',
      'testing',
      'upstash',
    ].map((name) => [name, name]),
  ),
  'persist-browser': 'persist',
  'persist-workerd': 'persist',
  'testing-browser': 'testing',
  'testing-workerd': 'testing',
  workerd: 'index',
};

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
  Object.values(DECLARED).forEach((entry) => visit(`entries/${entry}.d.ts`));
  for (const name of needed) {
    const to = join(out, 'cjs', name.replace(/^entries\//, ''));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, packedDeclaration(name, readFileSync(join(scratch, name), 'utf8')));
  }
  for (const [name, entry] of Object.entries(DECLARED)) {
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

/** Documentation stands in the declarations; copies of it in the code would cost users space. */
function removeDocumentation() {
  for (const format of ['cjs', 'esm']) {
    for (const name of readdirSync(join(out, format)).filter((file) => file.endsWith('.js') && file !== PACKED)) {
      const path = join(out, format, name);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/^ *\/\*\*.*?\*\/\n/gms, ''));
    }
  }
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await bundles();
for (const format of ['esm', 'cjs']) {
  for (const made of Object.entries(FOR_NODE)) await forNode(format, made);
}
exportClass();
removeDocumentation();
await commandLine();
declarations();
besides();
