/** The frame of the page: skip link, heading, the three views, the theme button. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Playground, View } from './playground.ts';
import { controls } from '../style/controls.ts';
import { FocusKeeper } from './focus-keeper.ts';
import { mark } from '../parts/icons.ts';
import '../line/line-view.ts';
import '../parts/drop-area.ts';
import './footer.ts';
import './theme-button.ts';
import './visit-bar.ts';

interface ViewLink {
  readonly view: View;
  readonly hash: string;
  readonly label: string;
}

const VIEW_LINKS: readonly ViewLink[] = [
  { view: 'line', hash: '#', label: 'Command line' },
  { view: 'sessions', hash: '#sessions', label: 'Sessions' },
  { view: 'lessons', hash: '#lessons', label: 'Lessons' },
  { view: 'commands', hash: '#commands', label: 'Commands' },
];

export class App extends LitElement {
  static override properties = { playground: { attribute: false }, loadProblem: { state: true } };
  declare playground: Playground | undefined;
  declare private loadProblem: string | undefined;
  private stop: (() => void) | undefined;

  static override styles = [
    controls,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 100dvh;
      }
      .skip {
        position: absolute;
        inset-block-start: var(--gap-2);
        inset-inline-start: var(--gap-2);
        z-index: 9;
      }
      .skip:not(:focus) {
        transform: translateY(-400%);
      }
      header {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0 var(--gap-5);
        padding: 0 var(--gap-5);
        border-block-end: 1px solid var(--line);
        background: var(--plate);
      }
      h1 {
        display: flex;
        align-items: center;
        gap: var(--gap-2);
        padding: var(--gap-3) 0;
        font-size: var(--text-4);
        font-weight: 650;
        letter-spacing: -0.015em;
        line-height: 1;
      }
      h1 svg {
        width: 1.625rem;
        height: 1.625rem;
      }
      nav ul {
        display: flex;
        gap: var(--gap-1);
      }
      nav a {
        position: relative;
        display: flex;
        align-items: center;
        min-height: 3.25rem;
        padding: 0 var(--gap-3);
        color: var(--ink-soft);
        font-size: var(--text-2);
        text-decoration: none;
        border-radius: var(--round-1);
      }
      nav a:hover {
        color: var(--ink);
      }
      nav a:focus-visible {
        outline-offset: -4px;
      }
      nav a[aria-current] {
        color: var(--ink);
        font-weight: 600;
      }
      nav a[aria-current]::after {
        content: "";
        position: absolute;
        inset: auto var(--gap-3) -1px;
        border-block-end: 2px solid var(--verdigris-fill);
      }
      main {
        flex: 1;
        display: flex;
        flex-direction: column;
        min-height: 0;
      }
      main > * {
        flex: 1;
        min-height: 0;
      }
      main:focus {
        outline: none;
      }
      .problem {
        flex: none;
        margin: var(--gap-4) var(--gap-5) 0;
        padding: var(--gap-2) var(--gap-3);
        border: 1px solid var(--rust);
        border-radius: var(--round-2);
        background: var(--rust-wash);
        color: var(--rust);
        font-size: var(--text-2);
      }
      @media (min-width: 62rem) {
        :host {
          height: 100dvh;
        }
      }
      @media (max-width: 44rem) {
        header {
          gap: 0 var(--gap-3);
          padding: 0 var(--gap-3);
        }
        nav {
          order: 3;
          width: 100%;
          margin-inline: calc(-1 * var(--gap-3));
        }
        nav a {
          min-height: 2.75rem;
        }
        nav ul {
          gap: 0;
        }
        kl-theme-button {
          margin-inline-start: auto;
        }
      }
      @media (max-width: 26rem) {
        nav ul {
          justify-content: space-between;
        }
        nav a {
          padding: 0 0.375rem;
          font-size: var(--text-1);
          white-space: nowrap;
        }
        nav a[aria-current]::after {
          inset-inline: 0.375rem;
        }
      }
    `,
  ];

  override firstUpdated(): void {
    new FocusKeeper(() => this.keepFocus());
  }

  /** On a touch screen the prompt would bring up the keyboard. */
  private keepFocus(): void {
    const prompt = matchMedia('(pointer: fine)').matches && this.renderRoot.querySelector('kl-line-view');
    if (prompt) prompt.focusPrompt();
    else this.renderRoot.querySelector('main')?.focus({ preventScroll: true });
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (!changed.has('playground') || !this.playground) return;
    this.stop?.();
    this.stop = this.playground.changes.on(['view'], () => this.viewChanged());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop?.();
  }

  override render(): TemplateResult {
    const { playground } = this;
    return html`
      <header>
        <button class="skip button main" @click=${this.skip}>Skip to the content</button>
        <h1>${mark}<span>keylatch</span></h1>
        <nav aria-label="Views">
          <ul>
            ${VIEW_LINKS.map(
              (link) => html`<li>
                <a href=${link.hash} aria-current=${playground?.view === link.view ? 'page' : nothing}>${link.label}</a>
              </li>`,
            )}
          </ul>
        </nav>
        ${playground && html`<kl-theme-button class="push" .theme=${playground.theme}></kl-theme-button>`}
      </header>
      ${playground && html`<kl-visit-bar .visit=${playground.visit}></kl-visit-bar>`}
      <main tabindex="-1">
        ${[playground?.linkProblem, this.loadProblem].map((problem) => problem && html`<p class="problem" role="alert">${problem}</p>`)}
        ${playground ? this.renderView(playground) : html`<slot></slot>`}
      </main>
      <kl-footer></kl-footer>
      ${playground && html`<kl-drop-area .open=${(file: File) => playground.openFile(file)}></kl-drop-area>`}
    `;
  }

  /** True when a view is defined. Views other than the first are loaded when they are opened. */
  private loaded(tag: string, load: () => Promise<unknown>): boolean {
    if (customElements.get(tag)) return true;
    load().then(
      () => this.requestUpdate(),
      () => (this.loadProblem = 'This view could not be loaded. Check the connection, then reload the page.'),
    );
    return false;
  }

  private renderView(playground: Playground): TemplateResult | false {
    switch (playground.view) {
      case 'line':
        return html`<kl-line-view .playground=${playground}></kl-line-view>`;
      case 'sessions':
        return (
          this.loaded('kl-session-view', () => import('../session/session-view.ts')) &&
          html`<kl-session-view .playground=${playground}></kl-session-view>`
        );
      case 'lessons':
        return (
          this.loaded('kl-lesson-index', () => import('../lessons/lesson-index.ts')) &&
          html`<kl-lesson-index></kl-lesson-index>`
        );
      case 'commands':
        return (
          this.loaded('kl-command-view', () => import('../commands/command-view.ts')) &&
          html`<kl-command-view .selected=${playground.command}></kl-command-view>`
        );
    }
  }

  private viewChanged(): void {
    const link = VIEW_LINKS.find(({ view }) => view === this.playground?.view);
    document.title = `${link?.label ?? ''} · keylatch playground`;
    this.requestUpdate();
  }

  /** A button instead of a link: the hash belongs to the view. */
  private skip(): void {
    this.renderRoot.querySelector('main')?.focus();
  }
}

customElements.define('kl-app', App);

declare global {
  interface HTMLElementTagNameMap {
    'kl-app': App;
  }
}
