/** Styles of the session text. */

import { css } from 'lit';

export const editorStyles = css`
  :host {
    min-height: 0;
    overflow-y: auto;
    background: var(--inset);
  }
  .paper {
    position: relative;
    display: grid;
    min-height: 100%;
    --margin: 2.75rem;
  }
  textarea,
  .line {
    padding: 0 var(--gap-4) 0 var(--margin);
    font: var(--text-2) / var(--loose) var(--engine);
    font-variant-ligatures: none;
    tab-size: 4;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    word-break: normal;
  }
  textarea,
  .drawn {
    grid-area: 1 / 1;
    min-width: 0;
    padding-block: var(--gap-3);
  }
  textarea {
    width: 100%;
    min-height: 14rem;
    margin: 0;
    border: 0;
    background: transparent;
    overflow: hidden;
    resize: none;
  }
  .paper:not(.coloured) textarea {
    min-height: 40rem;
    overflow: auto;
    padding-inline-start: var(--gap-4);
  }
  .coloured textarea:not(:placeholder-shown) {
    color: transparent;
    caret-color: var(--ink);
  }
  .coloured textarea::selection {
    background: color-mix(in oklch, var(--verdigris-fill) 30%, transparent);
    color: transparent;
  }
  textarea:focus-visible {
    outline: none;
  }
  :host(:focus-within) {
    box-shadow: inset 0 2px 0 var(--verdigris-fill);
  }
  textarea::placeholder {
    color: var(--ink-faint);
    opacity: 1;
  }
  .drawn {
    position: relative;
    pointer-events: none;
  }
  .line {
    position: relative;
    color: var(--ink-soft);
  }
  .number {
    position: absolute;
    inset-inline-start: 0;
    width: calc(var(--margin) - var(--gap-3));
    color: var(--ink-faint);
    font-size: var(--text-1);
    line-height: calc(var(--text-2) * var(--loose));
    text-align: end;
    font-variant-numeric: tabular-nums;
    user-select: none;
    pointer-events: auto;
    cursor: pointer;
  }
  .number:hover {
    color: var(--ink);
  }
  .command .head,
  .prompt .head,
  .receive .head {
    color: var(--lane);
  }
  .command .rest,
  .script .rest {
    color: var(--ink);
  }
  .heading .rest {
    color: var(--ink);
    font-weight: 700;
  }
  .comment .rest {
    color: var(--ink-faint);
  }
  .clock .rest,
  .race .rest,
  .join .rest,
  .anything .rest,
  .event .rest {
    color: var(--brass);
  }
  .matched .number {
    color: var(--verdigris);
  }
  .mismatched,
  .problem {
    background: var(--rust-wash);
  }
  .mismatched .number,
  .problem .number {
    color: var(--rust);
    font-weight: 700;
  }
  :host([covers]) .later.reply .rest,
  :host([covers]) .later.literal .rest,
  :host([covers]) .later.comment .rest,
  :host([covers]) .later.event .rest {
    border-radius: var(--round-1);
    background: repeating-linear-gradient(-45deg, var(--line) 0 2px, transparent 2px 8px);
    color: transparent;
  }
  .here::before {
    content: "";
    position: absolute;
    inset: 0 auto 0 0;
    border-inline-start: 3px solid var(--brass-fill);
  }
  @media (pointer: coarse) {
    textarea,
    .line {
      font-size: 1rem;
    }
  }
  @media (forced-colors: active) {
    textarea:focus-visible {
      outline: 2px solid Highlight;
      outline-offset: -3px;
    }
    /* Without this the browser would paint plates behind the unseen lines, over the textarea's own text. */
    .drawn {
      forced-color-adjust: none;
    }
    .drawn .number {
      color: CanvasText;
    }
    .mismatched,
    .problem {
      background: transparent;
    }
    .drawn .head,
    .drawn .rest {
      visibility: hidden;
    }
    .coloured textarea:not(:placeholder-shown) {
      color: CanvasText;
    }
  }
`;
