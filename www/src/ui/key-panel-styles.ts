/** Styles of the list of keys. */

import { css } from 'lit';

export const keyPanelStyles = css`
  :host {
    min-height: 0;
  }
  section {
    display: flex;
    flex-direction: column;
    max-height: 100%;
    overflow: clip;
  }
  .top {
    padding: var(--gap-3) var(--gap-4);
  }
  .count {
    color: var(--ink-faint);
    font-size: var(--text-1);
    font-variant-numeric: tabular-nums;
  }
  .rows {
    flex: 1;
    min-height: 0;
    overflow-y: auto;
    border-block-start: 1px solid var(--line);
  }
  li {
    border-block-end: 1px solid var(--line);
  }
  li:last-child {
    border-block-end: 0;
  }
  .key {
    position: relative;
    display: grid;
    grid-template-columns: 2.25rem minmax(0, 1fr) auto minmax(4.75rem, auto);
    align-items: baseline;
    gap: var(--gap-2);
    width: 100%;
    min-height: var(--target);
    padding: var(--gap-2) var(--gap-4);
    border: 0;
    background: transparent;
    text-align: start;
    cursor: pointer;
  }
  .key:hover {
    background: var(--inset);
  }
  .key:focus-visible {
    outline-offset: -3px;
  }
  .key[aria-expanded="true"] {
    background: var(--inset);
  }
  .type {
    color: var(--ink-faint);
    font-size: var(--text-1);
  }
  .name {
    overflow: hidden;
    font: var(--text-2) / var(--even) var(--engine);
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  [aria-expanded="true"] .name {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .size,
  .life {
    color: var(--ink-faint);
    font-size: var(--text-1);
    font-variant-numeric: tabular-nums;
    text-align: end;
    white-space: nowrap;
  }
  .life:not(.faint) {
    color: var(--ink-soft);
  }
  .life.soon {
    color: var(--brass);
    font-weight: 600;
  }
  .fuse {
    position: absolute;
    inset: auto 0 0;
    height: 2px;
    background: var(--brass-fill);
    transform: scaleX(var(--left));
    transform-origin: left;
    transition: transform 1s linear;
  }
  .fuse.soon {
    transition-duration: 100ms;
  }
  .gone .key {
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
  .empty {
    padding: var(--gap-2) var(--gap-4) var(--gap-5);
    color: var(--ink-soft);
    font-size: var(--text-2);
    line-height: var(--loose);
  }
  .more {
    margin: var(--gap-3) var(--gap-4);
  }
  @media (prefers-reduced-motion: reduce) {
    .fuse {
      transition: none;
    }
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
  }
`;
