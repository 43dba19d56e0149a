/** The output of a command: all of it when it is short, else its beginning, and the whole in a box on request. */

import { css, html, type TemplateResult } from 'lit';
import { beginning } from '../text/output.ts';
import './long-text.ts';
import { printedLines } from './printed.ts';

/** Outputs of one component that are shown as a whole, by their identity. */
export class WholeOutputs {
  private readonly shown = new Set<string>();
  /** Number of changes. */
  revision = 0;

  constructor(private readonly host: { requestUpdate(): void }) {}

  has(id: string): boolean {
    return this.shown.has(id);
  }

  toggle(id: string): void {
    if (!this.shown.delete(id)) this.shown.add(id);
    this.revision += 1;
    this.host.requestUpdate();
  }
}

export function renderOutput(lines: readonly string[], id: string, whole: WholeOutputs): TemplateResult {
  const part = beginning(lines);
  if (!part) return html`<pre class="reply">${printedLines(lines)}</pre>`;
  const isOpen = whole.has(id);
  return html`${isOpen ? html`<kl-long-text .lines=${lines}></kl-long-text>` : html`<pre class="reply">${printedLines(part)}</pre>`}
    <p class="cut">
      <span>${sizeText(lines, part, isOpen)}</span>
      <button class="button" @click=${() => whole.toggle(id)}>${isOpen ? 'Show less' : 'Show all'}</button>
      <button class="button" @click=${() => void copy(lines)}>Copy</button>
    </p>`;
}

/** Size of an output, and how much of it is shown. */
function sizeText(lines: readonly string[], part: readonly string[], isOpen: boolean): string {
  if (lines.length > part.length)
    return `${isOpen ? '' : `… ${part.length} of `}${lines.length.toLocaleString('en')} lines`;
  const chars = lines.reduce((sum, line) => sum + line.length, 0);
  return `${isOpen ? '' : '… the beginning of '}${chars.toLocaleString('en')} characters`;
}

async function copy(lines: readonly string[]): Promise<void> {
  await navigator.clipboard.writeText(lines.join('\n')).catch(() => undefined);
}

export const outputStyles = css`
  .cut {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--gap-2);
    padding-block-start: var(--gap-1);
    color: var(--ink-soft);
    font-size: var(--text-1);
  }
  .cut .button {
    min-height: 1.75rem;
  }
`;
