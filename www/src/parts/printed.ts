/** Lines of a reply as redis-cli prints them, with a quiet colour for notation. */

import { html, type TemplateResult } from 'lit';
import { css } from 'lit';

const NOTATION = /^((?:\s*\d+[)#~] )*)(\((?:integer|double|big number)\) )?(.*)$/s;

export function printedLine(line: string): TemplateResult {
  const [, index = '', type = '', value = ''] = NOTATION.exec(line) ?? [undefined, '', '', line];
  const tone = value.startsWith('(error)') ? 'bad' : /^\((?:nil|empty .*)\)$/.test(value) ? 'faint' : '';
  return html`<span class="notation">${index}${type}</span><span class=${tone}>${value}</span>`;
}

/** All lines of a reply, with a line feed between them, so that copying gives the printed text. */
export function printedLines(lines: readonly string[]): TemplateResult {
  return html`${lines.map((line, index) => html`${index > 0 ? '\n' : ''}${printedLine(line)}`)}`;
}

export const printedStyles = css`
  .reply {
    margin: 0;
    font-family: var(--engine);
    font-size: var(--text-engine);
    line-height: var(--even);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .notation,
  .reply .faint {
    color: var(--ink-faint);
  }
  .bad {
    color: var(--rust);
  }
`;
