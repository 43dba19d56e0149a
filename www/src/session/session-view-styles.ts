/** Layout of the session view: timeline left, keys and text right; in one column on narrow screens. */

import { css } from 'lit';

export const sessionViewStyles = css`
  :host {
    display: grid;
    gap: var(--gap-4);
    padding: var(--gap-4);
    align-content: start;
  }
  .time {
    display: flex;
    flex-direction: column;
    min-width: 0;
    overflow: clip;
  }
  kl-timeline {
    flex: 1;
  }
  .summary {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--gap-2);
    min-height: 3rem;
    padding: var(--gap-2) var(--gap-5);
    border-block-end: 1px solid var(--line);
    color: var(--ink-soft);
    font-size: var(--text-2);
  }
  .summary .button {
    min-height: 1.75rem;
  }
  .next-lesson {
    display: flex;
    align-items: center;
    gap: var(--gap-1);
    padding: var(--gap-2) var(--gap-5);
    border-block-start: 1px solid var(--line);
    color: var(--verdigris);
    font-size: var(--text-2);
    text-decoration: none;
  }
  .next-lesson:hover {
    text-decoration: underline;
    text-underline-offset: 0.2em;
  }
  .next-lesson:focus-visible {
    outline-offset: -3px;
  }
  .next-lesson svg {
    width: 1rem;
    height: 1rem;
    flex: none;
  }
  .good {
    color: var(--verdigris);
  }
  .bad {
    background: var(--rust-wash);
    color: var(--rust);
  }
  aside {
    display: grid;
    gap: var(--gap-4);
    min-width: 0;
    min-height: 0;
  }
  .keys {
    display: grid;
    grid-template-rows: auto minmax(0, 1fr);
    gap: var(--gap-2);
    min-height: 0;
  }
  .keys:not(:has(.choice)) {
    grid-template-rows: minmax(0, 1fr);
  }
  .choice {
    justify-self: start;
  }
  .text {
    display: flex;
    flex-direction: column;
    min-width: 0;
    min-height: 0;
    overflow: clip;
  }
  .text .top {
    padding: var(--gap-3) var(--gap-4);
    border-block-end: 1px solid var(--line);
  }
  .aside {
    color: var(--ink-faint);
    font-size: var(--text-1);
  }
  .aside svg {
    display: none;
  }
  kl-editor {
    flex: 1;
  }
  @media (max-width: 61.99rem) {
    kl-scrubber {
      position: sticky;
      inset-block-end: 0;
      z-index: 3;
    }
    .time {
      overflow: visible;
    }
    /* The timeline is as long as its lesson here: the question stays on the screen, above the scrubber. */
    kl-lesson-coach {
      position: sticky;
      inset-block-end: 3.5rem;
      z-index: 2;
    }
  }
  @media (max-width: 44rem) {
    kl-lesson-coach {
      inset-block-end: 5.9rem;
    }
    :host {
      gap: var(--gap-2);
      padding: var(--gap-2);
    }
    .summary {
      padding-inline: var(--gap-3);
    }
    .aside {
      display: none;
    }
  }
  @media (min-width: 62rem) {
    :host {
      grid-template-columns: minmax(0, 1fr) minmax(22rem, 34%);
      grid-template-rows: auto minmax(0, 1fr);
      align-content: stretch;
    }
    kl-session-bar {
      grid-column: 1 / -1;
    }
    .time {
      min-height: 0;
    }
    aside {
      grid-template-rows: fit-content(45%) minmax(0, 1fr);
    }
  }
`;
