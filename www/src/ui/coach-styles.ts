/** Style of what lessons ask. */

import { css } from 'lit';

export const coachStyles = css`
  section {
    display: grid;
    gap: var(--gap-2);
    padding: var(--gap-3) var(--gap-5);
    border-block-start: 1px solid var(--line);
    background: var(--inset);
    font-size: var(--text-2);
  }
  @media (max-width: 61.99rem) {
    section {
      max-height: 50dvh;
      overflow-y: auto;
      box-shadow: var(--float);
    }
  }
  @media (max-width: 44rem) {
    section {
      padding: var(--gap-3);
    }
  }
`;
