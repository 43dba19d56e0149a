/** Styles of the prompt. */

import { css } from 'lit';

export const promptStyles = css`
  :host {
    position: relative;
    border-block-start: 1px solid var(--line);
  }
  form {
    display: flex;
    align-items: flex-start;
    gap: var(--gap-2);
    padding: var(--gap-3) var(--gap-3) var(--gap-2) var(--gap-5);
  }
  label,
  textarea,
  .mirror {
    padding: 0.3rem 0;
    font: var(--text-3) / var(--even) var(--engine);
    font-variant-ligatures: none;
    tab-size: 4;
  }
  label {
    flex: none;
    max-width: 50%;
    overflow-wrap: anywhere;
    color: var(--lane);
    font-weight: 600;
  }
  label.searching {
    color: var(--brass);
  }
  .stack {
    flex: 1;
    display: grid;
    min-width: 0;
    max-height: 40dvh;
    overflow-y: auto;
  }
  .stack > * {
    grid-area: 1 / 1;
    min-width: 0;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  textarea {
    width: 100%;
    height: 100%;
    margin: 0;
    border: 0;
    background: transparent;
    overflow: hidden;
    resize: none;
    caret-color: var(--lane);
  }
  textarea:focus-visible {
    outline: none;
  }
  :host(:focus-within) form {
    box-shadow: inset 2px 0 0 var(--lane);
  }
  textarea::placeholder {
    color: var(--ink-faint);
    opacity: 1;
  }
  .mirror {
    color: transparent;
    pointer-events: none;
  }
  .ghost {
    color: var(--ink-faint);
  }
  mark {
    border-radius: 2px;
    background: var(--rust-wash);
    color: transparent;
    box-shadow: 0 2px 0 var(--rust);
  }
  mark.misfit {
    background: none;
    box-shadow: none;
    text-decoration: underline wavy var(--rust) from-font;
    text-underline-offset: 0.3em;
  }
  .fault {
    display: flex;
    flex-wrap: wrap;
    gap: var(--gap-1) var(--gap-3);
    align-items: baseline;
    padding: 0 var(--gap-5);
    color: var(--ink-soft);
    font-size: var(--text-2);
  }
  .fault .button {
    font-family: var(--engine);
  }
  .fault:has(.button),
  .fault:has(p:not(:empty)) {
    padding-block-end: var(--gap-2);
  }
  .problem {
    padding: 0 var(--gap-5) var(--gap-2);
    color: var(--rust);
    font-size: var(--text-2);
  }
  .keys {
    display: flex;
    flex-wrap: wrap;
    gap: var(--gap-1) var(--gap-4);
    padding: 0 var(--gap-5) var(--gap-3);
    color: var(--ink-faint);
    font-size: var(--text-1);
  }
  .ghost-line,
  .touch {
    display: none;
  }
  #suggestions {
    position: absolute;
    inset-block-end: calc(100% + var(--gap-1));
    inset-inline: var(--gap-4);
    z-index: 5;
    display: grid;
    grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr);
    max-width: 40rem;
    overflow: clip;
    padding: var(--gap-1);
    border: 1px solid var(--line);
    border-radius: var(--round-2);
    background: var(--plate);
    box-shadow: var(--float);
  }
  [role="option"] {
    grid-column: 1 / -1;
    display: grid;
    grid-template-columns: subgrid;
    align-items: baseline;
    column-gap: var(--gap-4);
    min-height: var(--target);
    padding: var(--gap-1) var(--gap-3);
    border-radius: var(--round-1);
    cursor: pointer;
  }
  [role="option"]:hover {
    background: var(--raised);
  }
  [role="option"][aria-selected="true"] {
    background: var(--verdigris-wash);
    box-shadow: inset 2px 0 0 var(--verdigris-fill);
  }
  .found .what {
    grid-column: 1 / -1;
  }
  .what b {
    color: var(--verdigris);
    font-weight: 700;
  }
  .what {
    font: var(--text-2) / var(--even) var(--engine);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .aside {
    min-width: 0;
    overflow: hidden;
    color: var(--ink-faint);
    font-size: var(--text-1);
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  @media (max-width: 44rem) {
    form {
      flex-wrap: wrap;
      padding: var(--gap-2) var(--gap-3);
    }
    label {
      width: 100%;
      max-width: none;
      padding-block-end: 0;
      font-size: var(--text-2);
    }
    .keys,
    .mirror .ghost {
      display: none;
    }
    /* The hint has a line of its own, which can be moved sideways. */
    .ghost-line {
      display: block;
      overflow-x: auto;
      padding: 0 var(--gap-3) var(--gap-2);
      color: var(--ink-faint);
      font: var(--text-2) / var(--even) var(--engine);
      white-space: nowrap;
      scrollbar-width: none;
    }
    .ghost-line b {
      color: var(--ink-soft);
      font-weight: 400;
    }
    .touch {
      display: flex;
      gap: var(--gap-1);
      overflow-x: auto;
      padding: 0 var(--gap-3) var(--gap-2);
      scrollbar-width: none;
    }
    .touch .button {
      flex: none;
      padding: 0 var(--gap-2);
    }
    .touch .count {
      color: var(--ink-faint);
    }
    /* Two rows at most right above the line, the best suggestion first in the lower one. */
    #suggestions {
      inset-inline: 0;
      inset-block-end: 100%;
      display: flex;
      flex-wrap: wrap-reverse;
      gap: var(--gap-1);
      max-width: none;
      max-height: calc(2 * var(--target) + 3 * var(--gap-1));
      border-width: 1px 0 0;
      border-radius: 0;
      box-shadow: none;
    }
    [role="option"] {
      display: flex;
      align-items: center;
      flex: none;
      max-width: 90%;
      border: 1px solid var(--line);
    }
    [role="option"] .aside {
      display: none;
    }
    .problem,
    .fault {
      padding-inline: var(--gap-3);
    }
  }
  @media (pointer: coarse) {
    textarea,
    .mirror {
      font-size: 1rem;
    }
  }
  @media (forced-colors: active) {
    :host(:focus-within) form {
      border-inline-start: 3px solid Highlight;
    }
    [role="option"][aria-selected="true"] {
      forced-color-adjust: none;
      background: Highlight;
      color: HighlightText;
    }
    [role="option"][aria-selected="true"] * {
      color: inherit;
    }
    .mirror {
      visibility: hidden;
    }
    .ghost,
    mark {
      visibility: visible;
      color: GrayText;
    }
    mark.misfit {
      forced-color-adjust: none;
      color: transparent;
    }
  }
`;
