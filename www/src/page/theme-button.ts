/** Button that cycles through the themes: the system's, light, dark. */

import { REPL_THEMES, type ReplTheme } from 'keylatch/element';
import { html, LitElement, type TemplateResult } from 'lit';
import type { ThemeChoice } from '../style/theme.ts';
import { controls } from '../style/controls.ts';
import { icons } from '../parts/icons.ts';
import { watch } from '../parts/watch.ts';

const LABELS: Readonly<Record<ReplTheme, string>> = { auto: 'as the system', light: 'light', dark: 'dark' };

export class ThemeButton extends LitElement {
  static override properties = { theme: { attribute: false } };
  static override styles = [controls];
  declare theme: ThemeChoice;

  constructor() {
    super();
    watch(this, () => this.theme.changes, ['theme']);
  }

  override render(): TemplateResult {
    const label = `Theme: ${LABELS[this.theme.current]}`;
    return html`<button class="button bare square" aria-label=${label} title=${label} @click=${this.next}>${icons[this.theme.current]}</button>`;
  }

  private next(): void {
    const index = REPL_THEMES.indexOf(this.theme.current);
    this.theme.choose(REPL_THEMES[(index + 1) % REPL_THEMES.length] as ReplTheme);
  }
}

customElements.define('kl-theme-button', ThemeButton);
