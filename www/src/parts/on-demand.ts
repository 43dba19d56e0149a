/** Elements that are loaded when they are needed first. Without a network they stay away until the next rendering. */

import type { ReactiveControllerHost } from 'lit';

const loading = new Set<string>();

/** True when an element is defined; else loads it and renders the host again. */
export function isLoaded(host: ReactiveControllerHost, tag: string, load: () => Promise<unknown>): boolean {
  if (customElements.get(tag)) return true;
  if (loading.has(tag)) {
    void customElements.whenDefined(tag).then(() => host.requestUpdate());
    return false;
  }
  loading.add(tag);
  load().then(
    () => host.requestUpdate(),
    () => loading.delete(tag),
  );
  return false;
}
