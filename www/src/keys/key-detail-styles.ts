/** Styles of the details of a key. */

import { css } from 'lit';

export const keyDetailStyles = css`
  :host {
    display: grid;
    align-content: start;
    gap: var(--gap-2);
    min-height: 0;
    overflow-y: auto;
    padding: var(--gap-2) var(--gap-4) var(--gap-4);
    border-block-start: 1px solid var(--line);
    background: var(--inset);
  }
  .head {
    display: flex;
    align-items: center;
    gap: var(--gap-2);
  }
  h3 {
    flex: 1;
    min-width: 0;
    max-height: 4.5em;
    overflow: auto;
    font: 600 var(--text-3) / var(--even) var(--engine);
    overflow-wrap: anywhere;
  }
  p {
    color: var(--ink-soft);
    font-size: var(--text-1);
    font-variant-numeric: tabular-nums;
  }
  .due .soon {
    color: var(--brass);
    font-weight: 600;
  }
  kl-value-table {
    max-height: 14rem;
  }
  .actions .field {
    width: 4.5rem;
  }
  .actions label {
    color: var(--ink-soft);
    font-size: var(--text-2);
  }
`;
