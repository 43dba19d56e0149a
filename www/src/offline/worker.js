// Service worker: the page without a network. Each version has a cache of its own; a new version waits until the visitor
// asks for it, so that the files of an open page stay together.

const version = 'VERSION';
const files = ['FILES'];
const documentation = ['FOLDERS'];
/** The engine with Lua, which is kept once it was used. */
const lua = 'LUA';

const PREFIX = 'keylatch-page-';
const NAME = PREFIX + version;

self.addEventListener('install', (event) => {
  event.waitUntil(fill());
});

self.addEventListener('activate', (event) => {
  event.waitUntil(removeOthers().then(() => self.clients.claim()));
});

self.addEventListener('message', (event) => {
  if (event.data === 'activate') self.skipWaiting();
  // Lua was loaded before this worker controlled the page.
  if (event.data === 'lua') event.waitUntil(caches.open(NAME).then(keepLua));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  event.respondWith(respond(request, url));
});

async function fill() {
  const cache = await caches.open(NAME);
  await cache.addAll(files.map((file) => new Request(file, { cache: 'reload' })));
  if (await hasUsedLua()) await keepLua(cache);
}

/** Whether an earlier version has kept its engine with Lua. */
async function hasUsedLua() {
  for (const name of await caches.keys()) {
    if (!name.startsWith(PREFIX)) continue;
    const kept = await (await caches.open(name)).keys();
    if (kept.some(({ url }) => isOnDemand(new URL(url)))) return true;
  }
  return false;
}

/** Keeps the engine with Lua of this version; its name changes with its contents. */
async function keepLua(cache) {
  const address = new URL(lua, self.registration.scope).href;
  if (await cache.match(address)) return;
  const former = await caches.match(address);
  if (former) await cache.put(address, former);
  else await cache.add(address);
}

/** Files of this version from the cache; everything else from the network, and kept for the time without one. */
async function respond(request, url) {
  const cache = await caches.open(NAME);
  url.hash = '';
  url.search = '';
  if (url.href === new URL('./', self.registration.scope).href) url.pathname += 'index.html';
  const kept = await cache.match(url.href);
  if (kept && !isDocumentation(url)) return kept;
  try {
    const response = await fetch(request);
    if (response.ok && (isDocumentation(url) || isOnDemand(url))) await cache.put(url.href, response.clone());
    return response;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

/** Pages beside the playground, the index of their search, and the script and engine of their examples. */
function isDocumentation(url) {
  return documentation.some((part) => url.href.startsWith(new URL(part, self.registration.scope).href));
}

/** The engine with Lua. Its name changes with its contents. */
function isOnDemand(url) {
  return url.href.startsWith(new URL('assets/keylatch-lua', self.registration.scope).href);
}

async function removeOthers() {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name)),
  );
}
