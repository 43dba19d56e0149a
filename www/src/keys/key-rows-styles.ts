/** Styles of the inspector's list. */

import { css } from 'lit';

export const keyRowsStyles = css`
  :host {
    --row: 2.25rem;
    display: flex;
    flex-direction: column;
    min-height: 0;
  }
  .scroll {
    flex: 0 1 auto;
    min-height: 0;
    overflow-y: auto;
    overscroll-behavior: contain;
  }
  .scroll:focus {
    outline: none;
  }
  ul {
    position: relative;
    height: calc(var(--count) * var(--row));
    contain: strict;
  }
  li {
    position: absolute;
    inset: 0 0 auto;
    height: var(--row);
    border-block-end: 1px solid var(--line);
    transform: translateY(calc(var(--at) * var(--row)));
    contain: strict;
  }
  .item {
    position: relative;
    display: flex;
    align-items: center;
    gap: var(--gap-2);
    width: 100%;
    height: 100%;
    padding: 0 var(--gap-4);
    padding-inline-start: calc(var(--gap-4) + var(--level) * 1.125rem);
    border: 0;
    background: transparent;
    text-align: start;
    cursor: pointer;
  }
  .item:hover {
    background: var(--inset);
  }
  .item:focus-visible {
    outline-offset: -3px;
  }
  .key[aria-pressed="true"] {
    background: var(--verdigris-wash);
    box-shadow: inset 2px 0 0 var(--verdigris-fill);
  }
  .type {
    flex: none;
    width: 2rem;
    color: var(--ink-faint);
    font-size: var(--text-1);
  }
  .name {
    flex: 1;
    overflow: hidden;
    font: var(--text-2) / var(--even) var(--engine);
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .folder svg {
    flex: none;
    width: 1rem;
    height: 1rem;
    color: var(--ink-faint);
  }
  .folder[aria-expanded="true"] svg {
    transform: rotate(90deg);
  }
  .size,
  .life {
    flex: none;
    color: var(--ink-faint);
    font-size: var(--text-1);
    font-variant-numeric: tabular-nums;
    text-align: end;
    white-space: nowrap;
  }
  .life {
    min-width: 4.25rem;
    color: var(--ink-soft);
  }
  .of {
    padding-inline-end: 0.4em;
    color: var(--ink-faint);
  }
  .left.soon {
    color: var(--brass);
    font-weight: 600;
  }
  .fuse {
    position: absolute;
    inset: auto 0 0;
    height: 2px;
    background: var(--brass-fill);
    transform: scaleX(var(--left, 0));
    transform-origin: left;
  }
  .gone .item {
    color: var(--ink-faint);
  }
  .gone .name {
    text-decoration: line-through;
  }
  .gone .life {
    color: var(--rust);
  }
  .flash-odd {
    animation: flash-odd 900ms ease-out;
  }
  .flash-even {
    animation: flash-even 900ms ease-out;
  }
  @keyframes flash-odd {
    from {
      background: var(--brass-wash);
    }
  }
  @keyframes flash-even {
    from {
      background: var(--brass-wash);
    }
  }
  @media (pointer: coarse) {
    :host {
      --row: 2.75rem;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .flash-odd,
    .flash-even {
      animation: none;
    }
  }
  @media (forced-colors: active) {
    .fuse {
      forced-color-adjust: none;
      background: CanvasText;
    }
    .key[aria-pressed="true"] {
      forced-color-adjust: none;
      background: Highlight;
      color: HighlightText;
    }
    .key[aria-pressed="true"] span {
      color: inherit;
    }
  }
`;
