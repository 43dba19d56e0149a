/** Styles that components share: resets, buttons, fields, plates. Each component adopts this sheet before its own. */

import { css } from 'lit';

export const controls = css`
  :host {
    display: block;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  h1,
  h2,
  h3,
  p,
  ul,
  ol,
  dl,
  dd,
  pre,
  figure {
    margin: 0;
    padding: 0;
  }
  ul,
  ol {
    list-style: none;
  }
  button,
  input,
  select,
  textarea {
    font: inherit;
    color: inherit;
    letter-spacing: inherit;
  }
  :focus-visible {
    outline: var(--ring);
    outline-offset: 2px;
  }
  code,
  kbd,
  pre,
  .engine {
    font-family: var(--engine);
    font-variant-ligatures: none;
  }
  kbd {
    padding: 0 0.3em;
    border: 1px solid var(--line);
    border-radius: var(--round-1);
    background: var(--raised);
    color: var(--ink-soft);
    font-size: 0.92em;
  }
  .plate {
    border: 1px solid var(--line);
    border-radius: var(--round-3);
    background: var(--plate);
  }
  .label {
    color: var(--ink-soft);
    font-size: var(--text-2);
    font-weight: 600;
    line-height: var(--tight);
  }
  .faint {
    color: var(--ink-faint);
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--gap-2);
  }
  .push {
    margin-inline-start: auto;
  }
  .button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: var(--gap-1);
    min-height: var(--target);
    padding: 0 var(--gap-3);
    border: 1px solid var(--line);
    border-radius: var(--round-2);
    background: var(--plate);
    color: var(--ink);
    font-size: var(--text-2);
    line-height: 1;
    white-space: nowrap;
    text-decoration: none;
    cursor: pointer;
    transition: background-color var(--quick), border-color var(--quick);
  }
  .button:hover:not(:disabled) {
    border-color: var(--line-strong);
    background: var(--raised);
  }
  .button:active:not(:disabled) {
    background: var(--line);
  }
  .button:disabled {
    opacity: 0.5;
    cursor: default;
  }
  .button.main {
    border-color: transparent;
    background: var(--verdigris-fill);
    color: var(--on-verdigris);
    font-weight: 600;
  }
  .button.main:hover:not(:disabled) {
    background: color-mix(in oklch, var(--verdigris-fill) 88%, var(--ink));
  }
  .button.bare {
    border-color: transparent;
    background: transparent;
    color: var(--ink-soft);
  }
  .button.bare:hover:not(:disabled) {
    background: var(--raised);
    color: var(--ink);
  }
  .button[aria-pressed="true"],
  .button[aria-pressed="true"]:hover:not(:disabled),
  .button[aria-expanded="true"] {
    border-color: var(--verdigris-fill);
    background: var(--verdigris-wash);
    color: var(--verdigris);
  }
  .button.square {
    width: var(--target);
    padding: 0;
  }
  .button svg {
    width: 1rem;
    height: 1rem;
    flex: none;
  }
  .choice {
    display: inline-flex;
    padding: 2px;
    border-radius: var(--round-2);
    background: var(--raised);
  }
  .choice button {
    min-height: calc(var(--target) - 4px);
    padding: 0 var(--gap-3);
    border: 1px solid transparent;
    border-radius: calc(var(--round-2) - 2px);
    background: transparent;
    color: var(--ink-soft);
    font-size: var(--text-2);
    line-height: 1;
    white-space: nowrap;
    cursor: pointer;
  }
  .choice button:hover {
    color: var(--ink);
  }
  .choice button[aria-pressed="true"] {
    border-color: var(--line);
    background: var(--plate);
    color: var(--ink);
    font-weight: 600;
  }
  .field {
    min-height: var(--target);
    padding: 0 var(--gap-3);
    border: 1px solid var(--line-strong);
    border-radius: var(--round-2);
    background: var(--plate);
    font-size: var(--text-2);
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (forced-colors: active) {
    .choice button[aria-pressed="true"],
    .button[aria-pressed="true"],
    .button[aria-pressed="true"]:hover:not(:disabled),
    .button.main {
      border-color: Highlight;
      forced-color-adjust: none;
      background: Highlight;
      color: HighlightText;
    }
  }
  @media (pointer: coarse) {
    .field,
    textarea {
      font-size: 1rem;
    }
  }
`;

/** Colours of the lanes, for elements of a client: \`data-lane\` selects one. */
export const lanes = css`
  [data-lane] {
    --lane: var(--lane-0);
  }
  [data-lane="1"] {
    --lane: var(--lane-1);
  }
  [data-lane="2"] {
    --lane: var(--lane-2);
  }
  [data-lane="3"] {
    --lane: var(--lane-3);
  }
  [data-lane="4"] {
    --lane: var(--lane-4);
  }
  [data-lane="5"] {
    --lane: var(--lane-5);
  }
  [data-lane="6"] {
    --lane: var(--lane-6);
  }
  [data-lane="7"] {
    --lane: var(--lane-7);
  }
  [data-lane="8"] {
    --lane: var(--lane-8);
  }
`;
