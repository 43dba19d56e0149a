/** Footer of the page: what keylatch is, how to install it, what it answers like and what is missing. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { controls } from '../style/controls.ts';
import { icons } from '../parts/icons.ts';

export class Footer extends LitElement {
  static override styles = [
    controls,
    css`
      :host {
        padding: var(--gap-3) var(--gap-5);
        border-block-start: 1px solid var(--line);
        color: var(--ink-soft);
        font-size: var(--text-2);
      }
      summary {
        display: flex;
        flex-wrap: wrap;
        gap: var(--gap-1) var(--gap-5);
        align-items: center;
        cursor: pointer;
      }
      .name {
        display: flex;
        gap: var(--gap-1);
        align-items: center;
      }
      .name svg {
        width: 1rem;
        height: 1rem;
      }
      details:not([open]) .name svg {
        transform: rotate(-90deg);
      }
      .more {
        display: grid;
        gap: var(--gap-2);
        max-width: 62rem;
        padding-block: var(--gap-3) var(--gap-1);
      }
      a {
        color: var(--verdigris);
      }
      code {
        color: var(--ink);
        font-size: var(--text-2);
      }
      nav {
        display: flex;
        flex-wrap: wrap;
        gap: var(--gap-1) var(--gap-4);
      }
      @media (max-width: 44rem) {
        :host {
          padding: var(--gap-3);
        }
      }
    `,
  ];

  override render(): TemplateResult {
    return html`<footer><details>
      <summary>
        <span class="name">${icons.down} About keylatch ${__VERSION__}</span>
        <span>Redis commands in this tab. Nothing you type leaves it.</span>
      </summary>
      <div class="more">
        <p>keylatch is a key-value engine in WebAssembly that speaks Redis: for tests, for apps without a server, and for workers at the edge. Install it with <code>npm install keylatch</code>.</p>
        <p>It answers like Redis ${__REDIS_VERSION__}. A script in Lua loads a larger engine when it runs. Missing are modules, clustering and replication. Random replies repeat, because every visit has the same seed.</p>
        <nav aria-label="About">
          <a href="commands/">Commands</a>
          <a href="lessons/">Lessons</a>
          <a href="recipes/">Recipes</a>
          <a href="docs/sessions.html">Session format</a>
          <a href="docs/guides.html">Guides</a>
          ${__SOURCE__ ? html`<a href=${__SOURCE__}>Source</a>` : nothing}
          <a href="docs/LICENSE-MIT.txt">MIT licence</a>
          <a href="docs/LICENSE-APACHE.txt">Apache-2.0 licence</a>
          <a href="docs/NOTICE.txt">Notices</a>
        </nav>
      </div>
    </details></footer>`;
  }
}

customElements.define('kl-footer', Footer);
