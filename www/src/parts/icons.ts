/** The icons of the page. All are decoration: the text is beside them or in a label. */

import { svg, html, type TemplateResult } from 'lit';

function icon(shape: TemplateResult): TemplateResult {
  return html`<svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">${shape}</svg>`;
}

/** The logo: a plate with a keyhole, and its brass bolt. */
export const mark = html`<svg viewBox="0 0 32 32" aria-hidden="true">
  <path fill="var(--brass-fill)" d="M22 12h7a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2h-7z" />
  <rect fill="var(--verdigris-fill)" width="25" height="30" y="1" rx="6" />
  <path fill="var(--on-verdigris)" d="M12.5 8a4.3 4.3 0 0 0-2.2 8L9 23.2c-.1.5.3.8.7.8h5.6c.4 0 .8-.3.7-.8L14.7 16a4.3 4.3 0 0 0-2.2-8z" />
</svg>`;

export const icons = {
  auto: icon(svg`<circle cx="8" cy="8" r="5.5" /><path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" />`),
  light: icon(
    svg`<circle cx="8" cy="8" r="2.7" /><path d="M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9" />`,
  ),
  dark: icon(svg`<path d="M13.2 9.7A5.7 5.7 0 0 1 6.3 2.8a5.7 5.7 0 1 0 6.9 6.9z" />`),
  plus: icon(svg`<path d="M8 3.5v9M3.5 8h9" />`),
  close: icon(svg`<path d="M4.5 4.5l7 7M11.5 4.5l-7 7" />`),
  pause: icon(svg`<path d="M5.5 3.5v9M10.5 3.5v9" />`),
  play: icon(svg`<path d="M5 3.2v9.6l7.5-4.8z" fill="currentColor" />`),
  back: icon(svg`<path d="M10 3.5L5.5 8l4.5 4.5" />`),
  forward: icon(svg`<path d="M6 3.5L10.5 8 6 12.5" />`),
  down: icon(svg`<path d="M3.5 6L8 10.5 12.5 6" />`),
  start: icon(svg`<path d="M4 3.5v9M12 3.5L7.5 8l4.5 4.5" />`),
  end: icon(svg`<path d="M12 3.5v9M4 3.5L8.5 8 4 12.5" />`),
  share: icon(
    svg`<path d="M6.7 9.3a2.7 2.7 0 0 0 4 .3l2-2a2.7 2.7 0 0 0-3.9-3.9l-.9.9M9.3 6.7a2.7 2.7 0 0 0-4-.3l-2 2a2.7 2.7 0 0 0 3.9 3.9l.9-.9" />`,
  ),
  copy: icon(
    svg`<rect x="5.5" y="5.5" width="8" height="8" rx="1.5" /><path d="M10.5 5.5v-1A1.5 1.5 0 0 0 9 3H4.5A1.5 1.5 0 0 0 3 4.5V9a1.5 1.5 0 0 0 1.5 1.5h1" />`,
  ),
  columns: icon(svg`<rect x="2.5" y="3" width="11" height="10" rx="1.5" /><path d="M8 3v10" />`),
  clear: icon(svg`<path d="M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5" />`),
  undo: icon(svg`<path d="M6.5 3L3 6.5 6.5 10M3.5 6.5h6a3.5 3.5 0 0 1 0 7H7" />`),
  redo: icon(svg`<path d="M9.5 3L13 6.5 9.5 10M12.5 6.5h-6a3.5 3.5 0 0 0 0 7H9" />`),
  hourglass: icon(
    svg`<path d="M4.5 2.5h7M4.5 13.5h7M5 2.5c0 3 3 3.8 3 5.5s-3 2.5-3 5.5M11 2.5c0 3-3 3.8-3 5.5s3 2.5 3 5.5" />`,
  ),
};
