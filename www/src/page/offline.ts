/** Registers the service worker, and offers a new version of the page when one is ready. Never reloads by itself. */

/** Time between two looks for a new version, in milliseconds. */
const LOOK_EVERY_MS = 3_600_000;

/** Has the engine with Lua kept for the time without a network. */
export async function keepLua(): Promise<void> {
  try {
    const { active } = await navigator.serviceWorker.ready;
    active?.postMessage('lua');
  } catch {
    // Without a service worker, Lua needs the network each time.
  }
}

export async function registerOffline(offer: (reload: () => void) => void): Promise<void> {
  if (!('serviceWorker' in navigator) || !isSecureContext) return;
  try {
    const registration = await navigator.serviceWorker.register('./worker.js', { updateViaCache: 'none' });
    watch(registration, offer);
    setInterval(() => void registration.update().catch(() => undefined), LOOK_EVERY_MS);
  } catch {
    // Private windows and forbidden storage: the page works, but only with a network.
  }
}

function watch(registration: ServiceWorkerRegistration, offer: (reload: () => void) => void): void {
  const ready = (): void => {
    const { waiting } = registration;
    // Without a controller this is the first visit: there is nothing to replace.
    if (waiting && navigator.serviceWorker.controller) offer(() => replace(waiting));
  };
  ready();
  registration.addEventListener('updatefound', () => {
    registration.installing?.addEventListener('statechange', ready);
  });
}

function replace(waiting: ServiceWorker): void {
  navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
  waiting.postMessage('activate');
}
