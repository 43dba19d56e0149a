/** Styles of the log. */

import { css } from 'lit';

export const logStyles = css`
  :host {
    position: relative;
    display: flex;
    flex-direction: column;
    min-height: 0;
  }
  .scroll {
    flex: 1;
    min-height: 0;
    overflow-y: auto;
    overscroll-behavior: contain;
    padding: var(--gap-4) var(--gap-5);
  }
  .scroll:focus-visible {
    outline-offset: -3px;
  }
  .entries {
    display: grid;
    gap: var(--gap-3) var(--gap-5);
  }
  .entries > * {
    min-width: 0;
    content-visibility: auto;
    contain-intrinsic-block-size: auto 3rem;
  }
  .command {
    padding-inline-start: var(--gap-3);
    border-inline-start: 2px solid var(--lane);
  }
  .note {
    display: flex;
    align-items: center;
    gap: var(--gap-3);
    color: var(--brass);
    font-size: var(--text-1);
  }
  .note::after {
    content: "";
    flex: 1;
    border-block-start: 1px solid var(--line);
  }
  .columns {
    grid-template-columns: repeat(var(--count), minmax(12rem, 1fr));
    align-items: start;
  }
  /* Each entry has a row of its own, so that the order of the clients' commands can be read downwards. */
  .columns > .command {
    grid-row: var(--row);
    grid-column: var(--column);
  }
  .columns > :not(.command) {
    grid-row: var(--row);
    grid-column: 1 / -1;
  }
  .missed {
    position: absolute;
    inset: auto 0 var(--gap-3);
    width: max-content;
    margin-inline: auto;
    border-color: var(--line-strong);
    border-radius: 1rem;
    box-shadow: var(--float);
  }
  .earlier {
    padding-block-end: var(--gap-3);
    text-align: center;
  }
  .scroll:has(.welcome) {
    display: flex;
    flex-direction: column;
  }
  .welcome {
    display: grid;
    gap: var(--gap-4);
    max-width: 36rem;
    margin: auto;
    padding: var(--gap-5) 0;
  }
  .welcome h2 {
    font-size: var(--text-5);
    font-weight: 600;
    letter-spacing: -0.02em;
    line-height: var(--tight);
    text-wrap: balance;
  }
  .welcome p {
    color: var(--ink-soft);
    line-height: var(--loose);
  }
  .welcome ol {
    display: grid;
    gap: var(--gap-1);
    justify-items: start;
  }
  .welcome li {
    font-size: var(--text-2);
    line-height: var(--loose);
  }
  .welcome li.faint {
    padding-inline-start: calc(var(--gap-3) + 1.25rem);
  }
  .welcome a {
    color: var(--verdigris);
    text-underline-offset: 0.2em;
  }
  .next {
    padding-block-start: var(--gap-4);
  }
  .try {
    max-width: 100%;
    padding-block: var(--gap-1);
    border-color: transparent;
    background: var(--verdigris-wash);
    color: var(--verdigris);
    font-family: var(--engine);
    line-height: var(--even);
    white-space: normal;
    text-align: start;
  }
  .try svg {
    width: 0.75rem;
    height: 0.75rem;
  }
  @media (max-width: 44rem) {
    .scroll {
      padding: var(--gap-3);
    }
  }
`;
