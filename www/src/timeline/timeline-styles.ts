/** Styles of the timeline. */

import { css } from 'lit';

export const timelineStyles = css`
  :host {
    display: flex;
    min-height: 0;
    min-width: 0;
  }
  .scroll {
    flex: 1;
    min-width: 0;
    overflow: auto;
    overscroll-behavior: contain;
  }
  .scroll:focus-visible {
    outline-offset: -3px;
  }
  .lanes {
    padding: var(--gap-5);
  }
  ol,
  .names {
    display: grid;
    grid-template-columns: repeat(var(--count), minmax(12rem, 1fr));
    gap: var(--gap-3) var(--gap-4);
  }
  .names {
    position: sticky;
    inset-block-start: 0;
    z-index: 2;
    margin: calc(-1 * var(--gap-5)) calc(-1 * var(--gap-5)) var(--gap-3);
    padding: var(--gap-3) var(--gap-5) var(--gap-2);
    border-block-end: 1px solid var(--line);
    background: var(--plate);
  }
  .names span {
    color: var(--lane);
    font: 600 var(--text-2) / var(--tight) var(--engine);
  }
  .names span::before {
    content: "";
    display: inline-block;
    width: 0.5rem;
    height: 0.5rem;
    margin-inline-end: var(--gap-2);
    border-radius: 50%;
    background: var(--lane);
  }
  .gap {
    height: var(--height);
  }
  ol + ol,
  ol + .gap,
  .gap + ol {
    margin-block-start: var(--gap-3);
  }
  li {
    content-visibility: auto;
    contain-intrinsic-block-size: auto 3.5rem;
  }
  /* Each step has a row of its own, so that the order of the clients' commands can be read downwards. */
  li {
    grid-row: var(--row);
  }
  .wide {
    grid-column: 1 / -1;
  }
  h2 {
    max-width: 28ch;
    padding-block: var(--gap-2) var(--gap-1);
    font-size: var(--text-5);
    font-weight: 650;
    letter-spacing: -0.02em;
    line-height: var(--tight);
    text-wrap: balance;
  }
  .prose p {
    max-width: 62ch;
    padding-block: var(--gap-1);
    color: var(--ink-soft);
    line-height: var(--loose);
    text-wrap: pretty;
  }
  .said {
    grid-column: var(--column);
    position: relative;
    min-width: 0;
    padding: var(--gap-2) 2.25rem var(--gap-2) var(--gap-3);
    border: 1px solid var(--line);
    border-inline-start: 3px solid var(--lane);
    border-radius: var(--round-2);
    background: var(--inset);
    transition: color var(--calm), background-color var(--calm);
  }
  .mark {
    position: absolute;
    inset-block-start: var(--gap-1);
    inset-inline-end: var(--gap-1);
    width: 1.75rem;
    height: 1.75rem;
    border: 0;
    border-radius: var(--round-1);
    background: transparent;
    color: var(--ink-faint);
    font-size: var(--text-2);
    line-height: 1;
    cursor: pointer;
  }
  .mark:hover {
    background: var(--raised);
  }
  .matched .mark {
    color: var(--verdigris);
  }
  .mismatched {
    background: var(--rust-wash);
  }
  .mismatched .mark {
    color: var(--rust);
    font-weight: 700;
  }
  .now.said {
    box-shadow: 0 0 0 2px var(--brass-fill);
  }
  .future,
  .future .mark,
  .future .bad,
  .future .events span {
    --lane: var(--ink-faint);
    background: transparent;
    color: var(--ink-faint);
  }
  .future.said {
    border-style: dashed;
  }
  /* Hidden from screen readers too, in a place that keeps its size. */
  :host([covers]) .future .answer,
  :host([covers]) .future .difference,
  :host([covers]) .future .events,
  :host([covers]) .future.prose p {
    visibility: hidden;
  }
  :host([covers]) .future.said::after {
    content: "";
    position: absolute;
    inset: auto var(--gap-3) var(--gap-2) var(--gap-3);
    height: calc(var(--text-engine) * var(--even));
    border-radius: var(--round-1);
    background: repeating-linear-gradient(-45deg, var(--line) 0 2px, transparent 2px 8px);
  }
  .clock {
    position: relative;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--gap-1) var(--gap-3);
    color: var(--brass);
    font: var(--text-1) / var(--tight) var(--engine);
    font-variant-numeric: tabular-nums;
  }
  .clock::after {
    content: "";
    flex: 1;
    order: 1;
    min-width: 2rem;
    border-block-start: 1px dashed var(--line-strong);
  }
  .clock .mark {
    position: static;
    display: grid;
    place-content: center;
    color: inherit;
  }
  .clock .mark svg {
    width: 1rem;
    height: 1rem;
  }
  .clock.now .mark {
    box-shadow: inset 0 0 0 2px var(--brass-fill);
  }
  .clock .move {
    font-size: var(--text-2);
    font-weight: 600;
  }
  .clock .time {
    order: 2;
    color: var(--ink-faint);
  }
  .events {
    display: flex;
    flex-wrap: wrap;
    gap: var(--gap-1);
  }
  .events span {
    padding: 0.1rem var(--gap-2);
    border-radius: 1rem;
    background: var(--brass-wash);
    color: var(--brass);
    font: var(--text-1) / var(--even) var(--voice);
  }
  .said .events {
    padding-block-start: var(--gap-1);
  }
  .clock .difference {
    flex-basis: 100%;
    order: 3;
    padding: var(--gap-2) var(--gap-3);
    border-radius: var(--round-2);
    background: var(--rust-wash);
    color: var(--ink);
  }
  .clock.mismatched {
    background: none;
  }
  .difference {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: var(--gap-1) var(--gap-3);
    padding-block-start: var(--gap-1);
  }
  .difference dt {
    color: var(--ink-soft);
    font-size: var(--text-1);
    line-height: calc(var(--text-engine) * var(--even));
  }
  .message {
    grid-column: 1 / -1;
    color: var(--rust);
    font-size: var(--text-1);
  }
  @media (max-width: 44rem) {
    .lanes {
      padding: var(--gap-3);
    }
    .names {
      display: none;
    }
    ol {
      grid-template-columns: minmax(0, 1fr);
    }
    .said {
      grid-column: 1;
    }
  }
  @media (forced-colors: active) {
    .now.said {
      outline: 2px solid Highlight;
    }
    .future {
      color: GrayText;
    }
  }
`;
