/** A typed command: the prompt in its client's colour, the command's name in a heavier weight. */

import { css, html, type TemplateResult } from 'lit';

export function commandLine(prompt: string, text: string): TemplateResult {
  const [, name = '', rest = ''] = /^(\S*)(.*)$/s.exec(text) ?? [];
  return html`<span class="prompt">${prompt}</span> <span class="name">${name}</span><span>${rest}</span>`;
}

export const commandLineStyles = css`
  .command-line {
    font-family: var(--engine);
    font-size: var(--text-engine);
    line-height: var(--even);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .prompt {
    color: var(--lane, var(--ink-soft));
  }
  .name {
    font-weight: 600;
  }
`;
