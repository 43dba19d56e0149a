/** A short message about what an action did, which goes after a while. The component renders `text` in a status element. */

import type { ReactiveControllerHost } from 'lit';
import { answered } from '../base/answer.ts';

const SHOWN_MS = 6000;
const COPY_LIMIT_MS = 1000;

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

  /** Copies a text to the clipboard, and says so. Some browsers leave the question open whether they permit it. */
  async copy(text: string | Promise<string>, done: string): Promise<void> {
    const copied = await text;
    try {
      await answered(navigator.clipboard.writeText(copied), COPY_LIMIT_MS);
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
