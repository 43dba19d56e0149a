// Code of the package. All entries are one build of ES modules, so each source is in one file; sources that several entries
// need are in shared files. CommonJS is made of each ES module, file by file.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build, transform } from 'esbuild';

/** First line of each file; esbuild names the source files between their parts. */
const BANNER =
  '// keylatch: documentation is in the declarations (.d.ts) and README.md. Not minified: bundlers do that.';

/** File with the engine as text, which the build writes into `esm`. */
export const PACKED = 'packed-engine.js';

/** Names of shared files, each with a source in it. Others are named after their largest source and its floor. */
const SHARED = {
  'adapters/upstash/respond.ts': 'rest-protocol',
  'base/errors.ts': 'common',
  'client/client.ts': 'client',
  'client/connection.ts': 'connection',
  'client/shared/client.ts': 'shared-client',
  'db/built-in.ts': 'built-in',
  'db/database.ts': 'database',
  'element/session-state.ts': 'element-shared',
  'hints/hint.ts': 'hint-rows',
  'persist/log.ts': 'persistence',
  'persist/memory.ts': 'memory-store',
  'race/explore.ts': 'races',
  'remote/socket-connection.ts': 'remote-connection',
  'server/server.ts': 'redis-server',
  'testing/clock.ts': 'test-clock',
  'testing/test-server.ts': 'test-servers',
};

/** Entries, by the names of their files without the extension. */
export const ENTRIES = {
  core: 'entries/core.ts',
  'durable-object': 'entries/durable-object.ts',
  element: 'entries/element.ts',
  hints: 'entries/hints.ts',
  index: 'entries/index.ts',
  ioredis: 'entries/ioredis.ts',
  keyv: 'entries/keyv.ts',
  limits: 'entries/limits.ts',
  locks: 'entries/locks.ts',
  persist: 'entries/persist.ts',
  'persist-browser': 'entries/persist-browser.ts',
  remote: 'entries/remote.ts',
  server: 'entries/server.ts',
  tabs: 'entries/tabs.ts',
  testing: 'entries/testing.ts',
  'testing-browser': 'entries/testing-portable.ts',
  upstash: 'entries/upstash.ts',
};

/** Files behind the import `#engine`: the engine as text or as a file, and as a module that is imported. */
const ENGINES = { engine: 'db/engine-inline.ts', 'engine-workerd': 'db/engine-workerd.ts' };

/** Entries that Workers load, where nothing is compiled at run time: they have the engine as a module. */
const FOR_WORKERS = ['durable-object.js', 'index.js', 'persist-browser.js', 'testing-browser.js'];

/** Entries of Workers alone: the manifest names no other file of them. */
const WORKERS_ONLY = ['esm/durable-object.js'];

/** Sources that make a shared file, although one entry alone needs them: bundles can have them without the entry. */
const APART = { 'element-apart': 'element/shared.ts' };

const COMMAND_LINE = 'cli/keylatch.ts';

/** Small sources that most entries need, in one file: Node takes half a millisecond for each file. */
const COMMON = [
  ...[
    'abort',
    'argument',
    'base64',
    'caller-errors',
    'encoders',
    'errors',
    'glob',
    'option-check',
    'paths',
    'shared-classes',
    'stack',
    'utf8',
  ].map((name) => `base/${name}.ts`),
  ...['concat', 'encode', 'reply', 'request', 'split-replies'].map((name) => `resp/${name}.ts`),
  'client/generated/reads.ts',
  'client/key-specs.ts',
  'db/tools.ts',
  'host/compile.ts',
];

/** Files that CommonJS lacks, or has another one of. */
const NOT_REQUIRED = new Set(['element.js', 'element-shared.js', 'engine-workerd.js', 'engine-text.js']);

/** Options of all code. It stays readable: in stacks, in debuggers, and for those that step into it. */
const READABLE = { charset: 'utf8', legalComments: 'none', logLevel: 'warning', target: 'es2022' };

/** The engine, its text and its file stand beside the code and are no parts of it. */
const engineFiles = (glue, resolveDir) => ({
  name: 'engine files',
  setup(bundle) {
    const outside = (filter, path) => bundle.onResolve({ filter }, () => ({ path, external: true }));
    outside(/\/keylatch\.wasm$/, '../keylatch.wasm');
    outside(/\/engine-text\.js$/, './engine-text.js');
    outside(/^#engine$/, '#engine');
    bundle.onResolve({ filter: /^#glue$/ }, () => ({ path: glue }));
    bundle.onLoad({ filter: /glue\.js$/ }, () => ({ contents: withEncoders(readFileSync(glue, 'utf8')), resolveDir }));
  },
});

/** The bindings with the package's encoders: they are made for environments that have their own. */
const withEncoders = (bindings) =>
  `import { Decoder as TextDecoder, Encoder as TextEncoder } from './base/encoders.js';\n${bindings}`;

/** Lets each entry reach the common sources: the bundler puts into one file what the same entries reach. */
const commonSources = (source) => ({
  name: 'common sources',
  setup(bundle) {
    const entries = new Set([...Object.values({ ...ENTRIES, ...ENGINES, ...APART }), COMMAND_LINE]);
    const imports = COMMON.map((name) => `import ${JSON.stringify(join(source, name))};\n`).join('');
    bundle.onLoad({ filter: /\.ts$/ }, ({ path }) =>
      entries.has(relative(source, path))
        ? { contents: readFileSync(path, 'utf8') + imports, loader: 'ts' }
        : undefined,
    );
  },
});

/**
 * Writes the folders `esm`, `cjs` and `cli` into `out`. `glue` is the path of the generated bindings; `define` has the
 * constants of this build.
 */
export async function writeCode({ source, out, glue, define }) {
  const esm = await modules(source, out, glue, define);
  esm.set('esm/engine-text.js', await engineText(join(source, 'db/engine-text.ts')));
  for (const [name, code] of forWorkers(esm)) write(join(out, 'esm/workerd', name), code);
  for (const path of WORKERS_ONLY) esm.delete(path);
  for (const [path, code] of esm) esm.set(path, code.replace(ENGINE, '"./engine.js"'));
  for (const [path, code] of esm) write(join(out, path), code);
  for (const [path, code] of esm) {
    if (dirname(path) === 'esm' && !NOT_REQUIRED.has(basename(path)))
      write(join(out, 'cjs', basename(path)), required(code));
  }
  write(join(out, 'cjs/engine-text.js'), required(await engineText(join(source, 'db/engine-text-cjs.ts'))));
  writeFileSync(join(out, 'cjs/package.json'), '{ "type": "commonjs" }\n');
  exportClass(join(out, 'cjs/ioredis.js'));
}

const ENGINE = '"#engine"';
const OWN_IMPORT = /"\.\/([\w-]+\.js)"/g;

/**
 * The entries for Workers, and copies of the files through which they reach the engine; all other files are shared. A
 * condition of the manifest can choose an entry only: pages load these modules without a bundler, where it means nothing.
 */
function forWorkers(esm) {
  const texts = new Map([...esm].map(([path, code]) => [basename(path), code]));
  const imported = (name) => [...(texts.get(name) ?? '').matchAll(OWN_IMPORT)].map(([, other]) => other);
  const known = new Map();
  const leads = (name) => {
    if (!known.has(name)) {
      // Files may import each other.
      known.set(name, false);
      known.set(name, texts.get(name)?.includes(ENGINE) === true || imported(name).some(leads));
    }
    return known.get(name);
  };
  const copied = new Map();
  const copy = (name) => {
    if (copied.has(name)) return;
    const text = texts.get(name).replace(OWN_IMPORT, (path, other) => (leads(other) ? path : `"../${other}"`));
    copied.set(name, text.replace(ENGINE, '"../engine-workerd.js"'));
    imported(name).filter(leads).forEach(copy);
  };
  FOR_WORKERS.forEach(copy);
  return copied;
}

function write(path, code) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
}

/** The ES modules: text by path. */
async function modules(source, out, glue, define) {
  const entryPoints = Object.entries({ ...ENTRIES, ...ENGINES, ...APART }).map(([name, path]) => ({
    in: join(source, path),
    out: `esm/${name}`,
  }));
  const { outputFiles, metafile } = await build({
    ...READABLE,
    entryPoints: [...entryPoints, { in: join(source, COMMAND_LINE), out: 'cli/keylatch' }],
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    external: ['node:*', 'cloudflare:*'],
    absWorkingDir: source,
    outdir: out,
    chunkNames: 'esm/[name]-[hash]',
    banner: { js: BANNER },
    define,
    // Entries import the common sources for their place alone.
    logOverride: { 'ignored-bare-import': 'silent' },
    plugins: [engineFiles(glue, source), commonSources(source)],
  });
  const names = sharedNames(Object.entries(metafile.outputs));
  // Files that only export what others have leave empty ones behind.
  const isKept = ({ path, text }) => !(basename(path, '.js') in APART) && text.length > BANNER.length + 1;
  const kept = outputFiles.filter(isKept);
  return new Map(
    kept.map(({ path, text }) => {
      const name = basename(path);
      return [join(relative(out, dirname(path)), names.get(name) ?? name), tidied(text, names)];
    }),
  );
}

/** Names of shared files, by the names that esbuild gives them. An output is a path with facts. */
function sharedNames(outputs) {
  const names = new Map();
  const taken = new Set(Object.keys(ENTRIES).map((name) => `${name}.js`));
  for (const [path, { inputs }] of outputs.filter(([, { entryPoint }]) => entryPoint === undefined)) {
    const sources = Object.entries(inputs).sort(([, one], [, other]) => other.bytesInOutput - one.bytesInOutput);
    const [largest, { bytesInOutput }] = sources[0];
    if (bytesInOutput === 0) continue;
    const known = Object.keys(SHARED).find((name) => name in inputs);
    const name = `${known ? SHARED[known] : `${largest.split('/')[0]}-${basename(largest, '.ts')}`}.js`;
    if (taken.has(name)) throw new Error(`${name} is made twice: name the shared file of ${largest} (build/code.mjs)`);
    taken.add(name);
    names.set(basename(path), name);
  }
  return names;
}

/** Imports without names: loading any file of the package does nothing, but for the elements and the command line. */
const BARE_IMPORT = /^import "\.[^"]*";\n/gm;
/** Documentation stands in the declarations; copies of it in the code would cost users space. */
const DOCUMENTATION = /^ *\/\*\*.*?\*\/\n/gms;

function tidied(text, names) {
  const renamed = text.replaceAll(/"(\.{1,2}\/(?:\w+\/)?)([\w-]+\.js)"/g, (whole, folder, name) =>
    names.has(name) ? `"${folder}${names.get(name)}"` : whole,
  );
  return renamed.replaceAll(BARE_IMPORT, '').replaceAll(DOCUMENTATION, '');
}

/** The statements of esbuild's modules: braces with names, a name, or all names under one. */
const IMPORT = /^import (?:\* as (\w+)|(\w+)|(\{[^}]*\})) from ("[^"]*");$/gm;
const EXPORT = /^export (\{[^}]*\});$/gm;

/**
 * An ES module as CommonJS, with the same lines: imports are constants and exports an object, so nothing is looked up when
 * a function of another file is called.
 */
function required(code) {
  const properties = (names) => names.replaceAll(/([\w$]+) as ([\w$]+)/g, '$1: $2');
  const exported = (names) => names.replaceAll(/([\w$]+) as ([\w$]+)/g, '$2: $1');
  const text = code
    .replaceAll(IMPORT, (_, all, one, names, path) => `const ${all ?? one ?? properties(names)} = require(${path});`)
    .replaceAll(EXPORT, (_, names) => `module.exports = ${exported(names)};\n${MARK}`)
    .replace(`"./${PACKED}"`, `"../esm/${PACKED}"`)
    .replaceAll('import.meta.url', '__filename');
  const left = /^(?:import|export)\b.*$|\bimport[.(].*$/m.exec(text);
  if (left) throw new Error(`no CommonJS for ${left[0]} (build/code.mjs)`);
  return text.replace('\n', '\n"use strict";\n');
}

/** Says to transpiled programs that the default export is a property, if there is one. */
const MARK = 'Object.defineProperty(module.exports, "__esModule", { value: true });';

/** The file that names the engine's text and file. */
async function engineText(path) {
  const options = { ...READABLE, loader: 'ts', format: 'esm', banner: BANNER };
  // That of CommonJS calls `require`.
  const logOverride = { 'unsupported-require-call': 'silent' };
  const { code } = await transform(readFileSync(path, 'utf8'), { ...options, logOverride });
  return code.replace('"#packed-engine"', `"./${PACKED}"`);
}

/**
 * Makes `require('keylatch/ioredis')` the class itself, with all exports as static members, as `require('ioredis')` is.
 */
function exportClass(path) {
  // Tools that read a module without running it find the default export by the last line.
  const lines = [
    'const exported = module.exports;',
    'module.exports = Object.assign(exported.default, exported);',
    "Object.defineProperty(module.exports, '__esModule', { value: true });",
    'module.exports.default = exported.default;',
  ];
  appendFileSync(path, `${lines.join('\n')}\n`);
}
