/** The list of suggestions above the prompt. */

import { html, nothing, type TemplateResult } from 'lit';
import { commandRows } from '../model/commands.ts';
import type { LineEditor, Suggestion } from '../model/line-editor.ts';

const KIND_LABELS: Readonly<Record<Suggestion['kind'], string>> = {
  command: '',
  keyword: 'option',
  key: 'key',
  history: '',
};

export function suggestionList(editor: LineEditor, choose: (index: number) => void): TemplateResult | typeof nothing {
  if (!editor.open) return nothing;
  const label = editor.mode === 'search' ? 'Earlier commands' : 'Suggestions';
  return html`<ul id="suggestions" role="listbox" aria-label=${label}>
    ${editor.suggestions.map((suggestion, index) => renderOption(suggestion, index, index === editor.active, choose))}
  </ul>`;
}

function renderOption(
  suggestion: Suggestion,
  index: number,
  active: boolean,
  choose: (index: number) => void,
): TemplateResult {
  const aside =
    suggestion.kind === 'command' ? (commandRows.get(suggestion.text)?.summary ?? '') : KIND_LABELS[suggestion.kind];
  // The mouse must not take the focus from the line: the list would close before the click arrives.
  return html`<li
    id="suggestion-${index}"
    role="option"
    aria-selected=${active}
    @mousedown=${(event: Event) => event.preventDefault()}
    @click=${() => choose(index)}
  >
    <span class="what">${suggestion.text}</span>
    ${aside && html`<span class="aside">${aside}</span>`}
  </li>`;
}
