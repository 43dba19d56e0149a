/** Styles of the panel of keys. */

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
  section:focus {
    outline: none;
  }
  .top {
    flex: none;
    min-height: 3.25rem;
    padding: var(--gap-2) var(--gap-4);
  }
  .count {
    color: var(--ink-faint);
    font-size: var(--text-1);
    font-variant-numeric: tabular-nums;
  }
  .filter {
    flex: none;
    padding: 0 var(--gap-4) var(--gap-3);
    border-block-end: 1px solid var(--line);
  }
  .filter .field {
    width: 100%;
  }
  kl-key-rows {
    flex: 0 1 auto;
  }
  /* The list yields to the details down to two rows; its scrolling finds the others. */
  kl-key-rows:has(+ kl-key-detail) {
    flex-shrink: 1000;
    min-height: 4.5rem;
  }
  kl-key-detail {
    flex: 0 1 auto;
  }
  .empty {
    padding: var(--gap-2) var(--gap-4) var(--gap-5);
    color: var(--ink-soft);
    font-size: var(--text-2);
    line-height: var(--loose);
  }
  @media (max-width: 61.99rem) {
    kl-key-rows {
      max-height: 50dvh;
    }
  }
`;
