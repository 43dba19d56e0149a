/**
 * Functions of node:fs over model disks, in the package too: paths below `/model/N` belong to disk N, all others to the
 * system. Each operation is one entry of OPERATIONS; its synchronous form, its form with a callback and its promise follow.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, basename } from 'node:path';
import { ModelFile, ModelFolder } from './model-disk.mjs';
import { failure } from './file-system.mjs';

const FIRST_FD = 2 ** 24;
const disks = new Map();
const descriptors = new Map();
let lastDisk = 0;
let lastFd = FIRST_FD;

/** A disk, with the faults that a test switches on and the operations that wait for the test to complete them. */
export class MountedDisk {
  pending = [];
  /** True if operations complete by themselves. */
  isEager = false;
  isUnplugged = false;
  /** Violations of the rules of descriptors. */
  violations = [];
  /** Faults: bytes that may be written before `write.code`, syncs that fail, changes of names that fail, short writes. */
  faults = { write: undefined, syncs: 0, names: 0, isShort: false };

  constructor(dice, { variation, root = new ModelFolder(undefined, '') } = {}) {
    this.dice = dice;
    this.variation = variation;
    this.root = root;
    this.id = lastDisk += 1;
    disks.set(this.id, this);
  }

  path(name) {
    return `/model/${this.id}/${name}`;
  }

  get hasFault() {
    const { write, syncs, names, isShort } = this.faults;
    return write !== undefined || syncs > 0 || names > 0 || isShort;
  }

  mend() {
    this.faults = { write: undefined, syncs: 0, names: 0, isShort: false };
  }

  /** The disk after a cut of power; `kept` is how much of what need not have lasted is there: none, some or all. */
  afterCut(kept) {
    const root = this.root.afterCut(this.dice, kept);
    return new MountedDisk(this.dice, { variation: this.variation, root });
  }

  /** The disk after the end of the process alone. */
  afterKill() {
    return new MountedDisk(this.dice, { variation: this.variation, root: this.root.afterKill() });
  }

  /** Every further operation fails. */
  unplug() {
    this.isUnplugged = true;
    this.pending = [];
    disks.delete(this.id);
    for (const [fd, { disk }] of descriptors) if (disk === this) descriptors.delete(fd);
  }

  /** Completes one of the operations under way, in any order. False if there is none. */
  complete() {
    if (this.pending.length === 0) return false;
    const [{ end }] = this.pending.splice(this.dice.below(this.pending.length), 1);
    end();
    return true;
  }

  defer(label, end) {
    if (this.isUnplugged) return;
    if (this.isEager) return queueMicrotask(end);
    this.pending.push({ label, end });
  }

  find(path) {
    const node = this.look(path);
    if (node === undefined) throw failure('ENOENT');
    return node;
  }

  look(path) {
    let node = this.root;
    for (const name of path.split('/').filter(Boolean))
      node = node instanceof ModelFolder ? node.names.get(name) : undefined;
    return node;
  }

  changeNames(path, ...entries) {
    if (this.faults.names > 0) {
      this.faults.names -= 1;
      throw failure('EIO');
    }
    this.find(dirname(path)).change(...entries);
  }
}

/** Length of a write that a fault cuts short. */
function writable(disk, length) {
  const { write, isShort } = disk.faults;
  if (write !== undefined) {
    if (write.room === 0) throw failure(write.code);
    const done = Math.min(write.room, length);
    write.room -= done;
    return done;
  }
  return isShort && length > 1 ? 1 + disk.dice.below(length) : length;
}

const bufferOf = (data, encoding) =>
  typeof data === 'string' ? Buffer.from(data, encoding) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
const encodingOf = (options) => (typeof options === 'string' ? options : options?.encoding);

function writeAt({ disk, node, isAppending }, bytes, position) {
  const done = writable(disk, bytes.length);
  node.write(isAppending ? node.bytes.length : position, bytes.subarray(0, done));
  return done;
}

function write(open, data, ...rest) {
  const bytes = bufferOf(data, rest[1]);
  const [offset = 0, length = bytes.length - offset, position = null] = typeof data === 'string' ? [] : rest;
  const done = writeAt(open, bytes.subarray(offset, offset + length), position ?? open.position);
  if (position === null) open.position += done;
  return done;
}

function writeAll(open, data, options) {
  const bytes = bufferOf(data, encodingOf(options));
  for (let done = 0; done < bytes.length; ) done += write(open, bytes, done);
}

function openFile(disk, path, flags = 'r') {
  if (!/^(r\+?|w|wx|a|ax)$/.test(flags)) throw new Error(`the model has no flags ${flags}`);
  let node = disk.look(path);
  if (flags.includes('x') && node !== undefined) throw failure('EEXIST');
  if (node === undefined) {
    if (flags.startsWith('r')) throw failure('ENOENT');
    node = new ModelFile();
    disk.changeNames(path, [basename(path), node]);
  } else if (flags.startsWith('w')) node.truncate(0);
  lastFd += 1;
  descriptors.set(lastFd, { disk, node, position: 0, isAppending: flags.startsWith('a'), fd: lastFd });
  return lastFd;
}

function closeFile({ disk, node, fd }) {
  if (disk.pending.some(({ label }) => label === `sync ${fd}`)) disk.violations.push(`fd ${fd} closed during its sync`);
  descriptors.delete(fd);
  return node;
}

/** Runs work with a file that is opened for it alone; `target` is a path or a descriptor's state. */
function withFile(disk, target, flags, work) {
  if (typeof target !== 'string') return work(target);
  const open = descriptors.get(openFile(disk, target, flags));
  try {
    return work(open);
  } finally {
    closeFile(open);
  }
}

function read(open, buffer, offset = 0, length = buffer.length - offset, position = null) {
  const from = position ?? open.position;
  const done = open.node.bytes.copy(buffer, offset, from, from + length);
  if (position === null) open.position += done;
  return done;
}

const statOf = (node) => ({
  ino: node.number,
  size: node instanceof ModelFolder ? 0 : node.bytes.length,
  isFile: () => node instanceof ModelFile,
  isDirectory: () => node instanceof ModelFolder,
});

function unlinkFile(disk, path) {
  if (disk.find(path) instanceof ModelFolder) throw failure('EISDIR');
  disk.changeNames(path, [basename(path), undefined]);
}

function renameFile(disk, from, to) {
  const node = disk.find(from);
  const other = disk.sub(to);
  if (dirname(from) !== dirname(other)) throw new Error('the model renames within a folder only');
  disk.changeNames(from, [basename(from), undefined], [basename(other), node]);
}

function linkFile(disk, from, to) {
  const other = disk.sub(to);
  if (disk.look(other) !== undefined) throw failure('EEXIST');
  disk.changeNames(other, [basename(other), disk.find(from)]);
}

function copyFile(disk, from, to, mode = 0) {
  const bytes = disk.find(from).bytes;
  const flags = (mode & fs.constants.COPYFILE_EXCL) === 0 ? 'w' : 'wx';
  withFile(disk, disk.sub(to), flags, (open) => writeAll(open, bytes));
}

function makeFolder(disk, path, options) {
  if (disk.look(path) !== undefined) {
    if (options?.recursive) return;
    throw failure('EEXIST');
  }
  if (options?.recursive) makeFolder(disk, dirname(path), options);
  disk.changeNames(path, [basename(path), new ModelFolder(disk.find(dirname(path)), basename(path))]);
}

/** Begins a sync; the function that is returned ends it. */
function beginSync({ disk, node, fd }) {
  if (node instanceof ModelFolder)
    return { label: `sync ${fd}`, end: () => disk.variation === 'nameless' || node.sync() };
  const ended = node.beginSync(disk);
  const end = () => {
    const isFailed = disk.faults.syncs > 0;
    if (isFailed) disk.faults.syncs -= 1;
    ended(isFailed);
    if (isFailed) throw failure('EIO');
  };
  return { label: `sync ${fd}`, end };
}

/** Operations; the first argument of their functions in node:fs is a path or a descriptor. */
const OPERATIONS = {
  open: openFile,
  close: (_, open) => void closeFile(open),
  write: (_, open, ...given) => write(open, ...given),
  writev: (_, open, parts) => parts.reduce((sum, part) => sum + write(open, part), 0),
  read: (_, open, ...given) => read(open, ...given),
  ftruncate: (_, open, length = 0) => open.node.truncate(length),
  fstat: (_, open) => statOf(open.node),
  truncate: (disk, path, length = 0) => disk.find(path).truncate(length),
  stat: (disk, path) => statOf(disk.find(path)),
  access: (disk, path) => void disk.find(path),
  readdir: (disk, path) => [...disk.find(path).names.keys()].sort(),
  mkdir: makeFolder,
  unlink: unlinkFile,
  rename: renameFile,
  link: linkFile,
  copyFile,
  readFile: (disk, target, options) =>
    withFile(disk, target, 'r', ({ node }) =>
      encodingOf(options) ? node.bytes.toString(encodingOf(options)) : Buffer.from(node.bytes),
    ),
  writeFile: (disk, target, data, options) =>
    withFile(disk, target, options?.flag ?? 'w', (open) => writeAll(open, data, options)),
  appendFile: (disk, target, data, options) => withFile(disk, target, 'a', (open) => writeAll(open, data, options)),
};

/** Operations that take effect for what was there at their begin. */
const SYNCS = { fsync: beginSync, fdatasync: beginSync };

/** The disk of a path or descriptor and the arguments of its operation; undefined for the system's own. */
function routed([target, ...given]) {
  if (typeof target === 'number') {
    if (target < FIRST_FD) return undefined;
    const open = descriptors.get(target);
    if (open === undefined) throw failure('EBADF');
    return { disk: open.disk, target: open, given };
  }
  const [, id, path] = /^\/model\/(\d+)(\/.*)?$/.exec(String(target)) ?? [];
  if (id === undefined) return undefined;
  const disk = disks.get(Number(id));
  if (disk === undefined) throw failure('EIO');
  return { disk, target: path ?? '/', given };
}

MountedDisk.prototype.sub = (path) => routed([path]).target;

/** Begins an operation. Its end, called once, gives its result. */
function begun(name, { disk, target, given }) {
  if (name in SYNCS) return SYNCS[name](target);
  const run = OPERATIONS[name];
  return { label: name, end: () => run(disk, target, ...given) };
}

/** A promise of an operation's result, for when the test completes it. */
async function promised(name, route) {
  const { label, end } = begun(name, route);
  return new Promise((pass, fail) => {
    route.disk.defer(label, () => {
      try {
        pass(end());
      } catch (error) {
        fail(error);
      }
    });
  });
}

/** A FileHandle. */
function handleOf(fd) {
  const call = async (name, ...given) => promised(name, routed([fd, ...given]));
  return {
    fd,
    close: async () => OPERATIONS.close(undefined, routed([fd]).target),
    sync: () => call('fsync'),
    datasync: () => call('fdatasync'),
    write: async (data, ...given) => ({ bytesWritten: await call('write', data, ...given), buffer: data }),
    writev: async (parts) => ({ bytesWritten: await call('writev', parts), buffers: parts }),
    writeFile: (data, options) => call('appendFile', data, options),
    appendFile: (data, options) => call('appendFile', data, options),
    readFile: (options) => call('readFile', options),
    truncate: (length) => call('ftruncate', length),
    stat: () => call('fstat'),
  };
}

const forms = {
  sync: (name, real) =>
    function (...given) {
      const route = routed(given);
      return route === undefined ? real.apply(this, given) : begun(name, route).end();
    },
  callback: (name, real) =>
    function (...given) {
      const done = given.at(-1);
      const route = routed(given.slice(0, -1));
      if (route === undefined) return real.apply(this, given);
      promised(name, route).then((result) => done(null, result), done);
    },
  promise: (name, real) =>
    async function (...given) {
      const route = routed(given);
      if (route === undefined) return real.apply(this, given);
      const result = await promised(name, route);
      return name === 'open' ? handleOf(result) : result;
    },
};

/** Puts the model in front of node:fs, until the end of the process. */
export function installModel() {
  for (const name of [...Object.keys(OPERATIONS), ...Object.keys(SYNCS)]) {
    fs[`${name}Sync`] = forms.sync(name, fs[`${name}Sync`]);
    fs[name] = forms.callback(name, fs[name]);
    if (name in fs.promises) fs.promises[name] = forms.promise(name, fs.promises[name]);
  }
  const { existsSync } = fs;
  fs.existsSync = (path) => {
    const route = routed([path]);
    return route === undefined ? existsSync(path) : route.disk.look(route.target) !== undefined;
  };
  syncBuiltinESMExports();
}
