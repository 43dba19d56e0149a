/**
 * Theme: light, dark, or the system's, as an attribute on the root element that the tokens read; kept between visits.
 */

import type { ReplTheme } from 'keylatch/element';
import { Emitter } from '../base/emitter.ts';
import { keep, recall } from '../base/storage.ts';

const NAME = 'theme';

export class ThemeChoice {
  readonly changes = new Emitter<'theme'>();
  current = keptTheme();

  constructor(private readonly root: HTMLElement) {
    this.apply();
  }

  choose(theme: ReplTheme): void {
    this.current = theme;
    keep(NAME, theme);
    this.apply();
    this.changes.emit('theme');
  }

  /** Shows a theme for this visit only, as links ask for it. */
  show(theme: ReplTheme): void {
    this.current = theme;
    this.apply();
    this.changes.emit('theme');
  }

  private apply(): void {
    if (this.current === 'auto') delete this.root.dataset['theme'];
    else this.root.dataset['theme'] = this.current;
  }
}

/** Whatever else was kept is the system's theme. */
function keptTheme(): ReplTheme {
  const kept = recall(NAME);
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
}
