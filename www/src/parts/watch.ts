/** Renders a component again after each announcement of the model, while it is on the page. */

import type { ReactiveControllerHost } from 'lit';
import type { Announcements } from '../base/emitter.ts';

export function watch<Topic extends string>(
  host: ReactiveControllerHost,
  source: () => Announcements<Topic>,
  topics: readonly Topic[],
): void {
  let stop: (() => void) | undefined;
  host.addController({
    hostConnected: () => (stop = source().on(topics, () => host.requestUpdate())),
    hostDisconnected: () => stop?.(),
  });
}
