// IndexedDB in memory, locks, and a page with localStorage, as globals of one test after the other.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { afterEach, beforeEach } from 'node:test';
import { entry } from './package.mjs';

const require = createRequire(new URL('../../../pkg-templates/npm/package.json', import.meta.url));
const { IDBDatabase, IDBFactory, IDBObjectStore } = require('fake-indexeddb');
const { PersistenceError } = await entry('persist-browser');
export { IDBDatabase, IDBFactory, IDBObjectStore };

/** Names of the locks that are held. */
export const held = new Set();

/** navigator.locks. */
const locks = {
  async request(name, { ifAvailable, signal }, work) {
    if (held.has(name) && ifAvailable) return work(null);
    while (held.has(name)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      signal.throwIfAborted();
    }
    held.add(name);
    try {
      return await work({ name });
    } finally {
      held.delete(name);
    }
  },
};

const replaced = [];
export function replaceGlobal(name, value) {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  replaced.push(() => (before ? Object.defineProperty(globalThis, name, before) : delete globalThis[name]));
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** Connections that were opened, the last one at the end. */
export let connections = [];

/** Gives each test a browser of its own. */
export function browserForEach() {
  beforeEach(() => {
    held.clear();
    connections = [];
    replaceGlobal('indexedDB', new IDBFactory());
    replaceGlobal('navigator', { locks });
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function (...given) {
      const request = open.apply(this, given);
      request.addEventListener('success', () => connections.push(request.result));
      return request;
    };
    replaced.push(() => {
      IDBFactory.prototype.open = open;
    });
  });
  afterEach(() => {
    for (const back of replaced.splice(0).reverse()) back();
  });
}

/** Gives the test a page with localStorage, of which `texts` are the contents. */
export function startPage() {
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const window = new EventTarget();
  const texts = new Map();
  replaceGlobal('document', document);
  replaceGlobal('addEventListener', window.addEventListener.bind(window));
  replaceGlobal('removeEventListener', window.removeEventListener.bind(window));
  replaceGlobal('localStorage', {
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => texts.set(key, String(text)),
    removeItem: (key) => texts.delete(key),
  });
  return {
    texts,
    leave: () => window.dispatchEvent(new Event('pagehide')),
    back: () => window.dispatchEvent(new Event('pageshow')),
    show: (visibilityState) => {
      document.visibilityState = visibilityState;
      document.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

export const bytes = (...values) => new Uint8Array(values);

export const connect = (name, version) =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Runs a change of the raw database. */
export async function change(name, store, work) {
  const db = await connect(`keylatch:${name}`);
  const transaction = db.transaction(store, 'readwrite');
  work(transaction.objectStore(store));
  await new Promise((resolve) => {
    transaction.oncomplete = resolve;
  });
  db.close();
}

/** A rejection with a code, and words that the message has. */
export const refused = (code, words) => (error) => {
  assert.ok(error instanceof PersistenceError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, words);
  return true;
};
