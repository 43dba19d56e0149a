/**
 * A model of a disk: files and folders with what is visible now, and what lasts when the power is cut. Bytes last once a sync
 * begun after them has ended; names last once their folder was synced. Knows nothing of node:fs.
 */

/** Contents of a file that grow in place. */
class Bytes {
  #buffer;
  length;

  constructor(bytes = Buffer.alloc(0)) {
    this.#buffer = Buffer.from(bytes);
    this.length = bytes.length;
  }

  get view() {
    return this.#buffer.subarray(0, this.length);
  }

  write(at, bytes) {
    const end = at + bytes.length;
    if (end > this.#buffer.length) {
      const grown = Buffer.alloc(Math.max(end, 2 * this.#buffer.length));
      this.view.copy(grown);
      this.#buffer = grown;
    }
    bytes.copy(this.#buffer, at);
    this.length = Math.max(this.length, end);
  }

  truncate(length) {
    if (length > this.length) return this.write(this.length, Buffer.alloc(length - this.length));
    this.#buffer.fill(0, length, this.length);
    this.length = length;
  }
}

/** A change of a file that may be missing after a cut: bytes at an offset, or another length. */
function apply(contents, { at, bytes, length }, part = 1) {
  if (bytes === undefined) return contents.truncate(length);
  contents.write(at, bytes.subarray(0, Math.ceil(bytes.length * part)));
}

let nodes = 0;

export class ModelFile {
  /** Number of the inode. */
  number = (nodes += 1);
  contents = new Bytes();
  #lasting = new Bytes();
  /** Changes since the lasting contents, oldest first. */
  #changes = [];
  /** Number of changes ever made, and how many were there when the last sync began. */
  #made = 0;
  #begunBefore = 0;
  /** Syncs that run. */
  syncs = 0;

  get bytes() {
    return this.contents.view;
  }

  write(at, bytes) {
    this.#change({ at, bytes: Buffer.from(bytes) });
  }

  truncate(length) {
    this.#change({ length });
  }

  #change(change) {
    apply(this.contents, change);
    this.#made += 1;
    this.#changes.push({ ...change, number: this.#made });
  }

  /** Begins a sync; the function ends it, for the changes that were there at its begin. */
  beginSync({ variation, dice }) {
    const covered = variation === 'stale' ? this.#begunBefore : variation === 'lying' ? 0 : this.#made;
    this.#begunBefore = this.#made;
    this.syncs += 1;
    return (isFailed) => {
      this.syncs -= 1;
      if (isFailed) return this.#lose(covered, dice);
      const count = this.#sound.filter(({ number }) => number <= covered).length;
      for (const change of this.#changes.splice(0, count)) apply(this.#lasting, change);
    };
  }

  /**
   * After a failed sync the system may have dropped the bytes. It says so once: later syncs do not try them again, and
   * neither they nor what was written behind them lasts.
   */
  #lose(covered, dice) {
    const isLost = dice.happens(50);
    for (const change of this.#changes) if (change.number <= covered) change.isLost ||= isLost;
  }

  /** Changes in front of the first one that was dropped. */
  get #sound() {
    const firstLost = this.#changes.findIndex(({ isLost }) => isLost);
    return firstLost < 0 ? this.#changes : this.#changes.slice(0, firstLost);
  }

  /** The file after a cut of power, with some of the changes that need not have lasted. */
  afterCut(dice, kept) {
    const file = new ModelFile();
    const contents = new Bytes(this.#lasting.view);
    const changes = this.#sound;
    const count = countKept(changes.length, dice, kept);
    for (const change of changes.slice(0, count)) apply(contents, change);
    const torn = changes[count];
    if (torn !== undefined && kept === 'some') apply(contents, torn, dice.below(100) / 100);
    file.#reset(contents.view);
    return file;
  }

  /** The file as the system shows it. */
  afterKill() {
    const file = new ModelFile();
    file.#reset(this.bytes);
    return file;
  }

  #reset(bytes) {
    this.contents = new Bytes(bytes);
    this.#lasting = new Bytes(bytes);
  }
}

export class ModelFolder {
  number = (nodes += 1);
  names = new Map();
  #lasting = new Map();
  /** Changes of names that need not have lasted, oldest first. */
  #changes = [];

  constructor(parent, name) {
    this.parent = parent;
    this.name = name;
  }

  /** Gives nodes their names, and undefined to those that go; all of it or nothing survives a cut. */
  change(...entries) {
    for (const [name, node] of entries) setName(this.names, name, node);
    this.#changes.push(entries);
  }

  /** Makes names last, with those that lead to this folder: file systems with a journal write it in order. */
  sync() {
    for (const change of this.#changes) for (const [name, node] of change) setName(this.#lasting, name, node);
    this.#changes = [];
    this.parent?.lastName(this);
  }

  lastName(folder) {
    setName(this.#lasting, folder.name, folder);
    this.parent?.lastName(this);
  }

  afterCut(dice, kept, parent) {
    const names = new Map(this.#lasting);
    const changes = this.#changes.slice(0, countKept(this.#changes.length, dice, kept));
    for (const change of changes) for (const [name, node] of change) setName(names, name, node);
    return this.#copy(names, parent, (node, folder) => node.afterCut(dice, kept, folder));
  }

  afterKill(parent) {
    return this.#copy(this.names, parent, (node, folder) =>
      node instanceof ModelFolder ? node.afterKill(folder) : node.afterKill(),
    );
  }

  #copy(names, parent, copyOf) {
    const folder = new ModelFolder(parent, this.name);
    for (const [name, node] of names) folder.names.set(name, copyOf(node, folder));
    folder.#lasting = new Map(folder.names);
    return folder;
  }
}

function setName(names, name, node) {
  if (node === undefined) names.delete(name);
  else names.set(name, node);
}

function countKept(count, dice, kept) {
  if (kept === 'none') return 0;
  return kept === 'all' ? count : dice.below(count + 1);
}
