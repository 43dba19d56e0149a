/** A media query that a component renders by. */

import type { ReactiveController, ReactiveControllerHost } from 'lit';

export class MediaMatch implements ReactiveController {
  private readonly list: MediaQueryList;
  private readonly changed = (): void => this.host.requestUpdate();

  constructor(
    private readonly host: ReactiveControllerHost,
    query: string,
  ) {
    this.list = matchMedia(query);
    host.addController(this);
  }

  get matches(): boolean {
    return this.list.matches;
  }

  hostConnected(): void {
    this.list.addEventListener('change', this.changed);
  }

  hostDisconnected(): void {
    this.list.removeEventListener('change', this.changed);
  }
}
