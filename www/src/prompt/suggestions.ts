/** The list of suggestions at the prompt. */

import { typedWords } from 'keylatch/hints';
import { html, nothing, type TemplateResult } from 'lit';
import { commandRows } from '../commands/commands.ts';
import type { LineEditor, Suggestion } from './line-editor.ts';
import { matchedLetters } from './matched-letters.ts';

const KIND_LABELS: Readonly<Record<Suggestion['kind'], string>> = {
  command: '',
  keyword: 'option',
  key: 'key',
  history: '',
};

export function suggestionList(editor: LineEditor, choose: (index: number) => void): TemplateResult | typeof nothing {
  if (!editor.open) return nothing;
  const isSearch = editor.mode === 'search';
  const typed = isSearch ? editor.text : typedWords(editor.text).partial;
  return html`<ul id="suggestions" class=${isSearch ? 'found' : ''} role="listbox" aria-label=${isSearch ? 'Earlier commands' : 'Suggestions'}>
    ${editor.suggestions.map((suggestion, index) => renderOption(suggestion, index, { isActive: index === editor.active, typed, choose }))}
  </ul>`;
}

interface OptionContext {
  readonly isActive: boolean;
  readonly typed: string;
  readonly choose: (index: number) => void;
}

function renderOption(
  suggestion: Suggestion,
  index: number,
  { isActive, typed, choose }: OptionContext,
): TemplateResult {
  const aside =
    suggestion.kind === 'command' ? (commandRows.get(suggestion.text)?.summary ?? '') : KIND_LABELS[suggestion.kind];
  // The mouse must not take the focus from the line: the list would close before the click arrives.
  return html`<li
    id="suggestion-${index}"
    role="option"
    aria-selected=${isActive}
    @mousedown=${(event: Event) => event.preventDefault()}
    @click=${() => choose(index)}
  >
    <span class="what">${matchedLetters(suggestion.text, typed).map((letters) => (letters.typed ? html`<b>${letters.text}</b>` : letters.text))}</span>
    ${aside && html`<span class="aside">${aside}</span>`}
  </li>`;
}
