/**
 * Theme: light, dark, or the system's, as an attribute on the root element that the tokens read; kept between visits.
 */

import { REPL_THEMES, type Theme } from '../../../pkg-templates/npm/src/element/themes.ts';
import { Emitter } from '../base/emitter.ts';
import { keep, recall } from '../base/storage.ts';

export { REPL_THEMES, type Theme };

const NAME = 'theme';

export class ThemeChoice {
  readonly changes = new Emitter<'theme'>();
  current: Theme = REPL_THEMES.find((theme) => theme === recall(NAME)) ?? 'auto';

  constructor(private readonly root: HTMLElement) {
    this.apply();
  }

  choose(theme: Theme): void {
    this.current = theme;
    keep(NAME, theme);
    this.apply();
    this.changes.emit('theme');
  }

  /** Shows a theme for this visit only, as links ask for it. */
  show(theme: Theme): void {
    this.current = theme;
    this.apply();
    this.changes.emit('theme');
  }

  private apply(): void {
    if (this.current === 'auto') delete this.root.dataset['theme'];
    else this.root.dataset['theme'] = this.current;
  }
}
