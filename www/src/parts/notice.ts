/** A short message about what an action did, which goes after a while. The component renders `text` in a status element. */

import type { ReactiveControllerHost } from 'lit';

const SHOWN_MS = 6000;

export class Notice {
  private shown = '';
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: ReactiveControllerHost) {}

  get text(): string {
    return this.shown;
  }

  /** Shows a message, for good if it asks for an answer. */
  say(text: string, { stays = false } = {}): void {
    clearTimeout(this.timer);
    this.show(text);
    if (!stays) this.timer = setTimeout(() => this.show(''), SHOWN_MS);
  }

  /** Copies a text to the clipboard, and says so. */
  async copy(text: string | Promise<string>, done: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(await text);
      this.say(done);
    } catch {
      this.say('The browser denied access to the clipboard');
    }
  }

  private show(text: string): void {
    this.shown = text;
    this.host.requestUpdate();
  }
}
