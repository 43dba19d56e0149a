/**
 * The edited line: its hint, its suggestions, browsing and searching the history. Independent of the DOM; a component
 * renders it and passes keys on.
 */

import {
  complete,
  findCommand,
  ghostHint,
  lastCommandStart,
  typedWords,
  type CandidateKind,
  type HintRows,
  type KeySource,
} from 'keylatch/hints';
import type { History } from './history.ts';

export interface Suggestion {
  readonly text: string;
  readonly kind: CandidateKind | 'history';
}

/** Maximum number of suggestions, which fit above the line without scrolling, also on a small screen. */
const MAX_SUGGESTIONS = 8;

export class LineEditor {
  text = '';
  mode: 'type' | 'search' = 'type';
  suggestions: readonly Suggestion[] = [];
  /** The suggestion that is chosen, -1 for none. */
  active = -1;
  ghost = '';
  private replaceFrom = 0;
  private beforeSearch = '';

  constructor(
    private readonly rows: HintRows,
    private readonly history: History,
    private readonly keys: KeySource,
  ) {}

  get open(): boolean {
    return this.suggestions.length > 0;
  }

  /** The command at the start of the line, with its subcommand; "" for none. */
  get commandName(): string {
    const typed = typedWords(this.text.slice(lastCommandStart(this.text)));
    const named = findCommand(this.rows, [...typed.done, typed.partial]);
    return named?.row.name.replace('|', ' ') ?? '';
  }

  /** Handles an edit. Hints and suggestions belong to the end of the line: elsewhere there are none. */
  input(text: string, caretAtEnd: boolean): void {
    this.text = text;
    if (this.mode === 'search') return this.search();
    this.history.rest();
    this.close();
    this.ghost = caretAtEnd ? ghostHint(this.rows, text.slice(lastCommandStart(text))) : '';
    if (caretAtEnd) this.suggest(false);
  }

  /** Puts another line in place of the present one, which the history keeps. */
  replace(text: string): void {
    if (text === this.text) return;
    this.history.add(this.text);
    this.mode = 'type';
    this.input(text, true);
  }

  /** Suggests candidates for the end of the line; on request also where no word has begun. */
  suggest(asked: boolean): boolean {
    const start = lastCommandStart(this.text);
    const line = this.text.slice(start);
    const { candidates, from } = complete(this.rows, line, this.keys);
    const begun = from < line.length;
    const finished =
      candidates.length === 1 && candidates[0]?.text.toUpperCase() === typedWords(line).partial.toUpperCase();
    this.suggestions = finished || (!begun && !asked) ? [] : candidates.slice(0, MAX_SUGGESTIONS);
    this.replaceFrom = start + from;
    this.active = -1;
    return this.open;
  }

  /** Moves through the suggestions; above the first one none is chosen. */
  move(step: number): void {
    const last = this.suggestions.length - 1;
    this.active = Math.min(Math.max(this.active + step, this.mode === 'search' ? 0 : -1), last);
  }

  /** Accepts the chosen suggestion, else the first. */
  accept(index = Math.max(this.active, 0)): void {
    const chosen = this.suggestions[index];
    if (!chosen) return;
    const fromHistory = chosen.kind === 'history';
    const text = fromHistory ? chosen.text : `${this.text.slice(0, this.replaceFrom)}${chosen.text} `;
    this.mode = 'type';
    this.input(text, true);
    if (fromHistory) this.close();
  }

  /** Shows the previous history entry; false when there is none. */
  older(): boolean {
    return this.recall(this.history.older(this.text));
  }

  newer(): boolean {
    return this.recall(this.history.newer());
  }

  startSearch(): void {
    if (this.mode === 'search') return this.move(1);
    this.beforeSearch = this.text;
    this.mode = 'search';
    this.ghost = '';
    this.search();
  }

  /** Escape: leaves the search or closes the list; false when there was nothing to leave. */
  cancel(): boolean {
    if (this.mode === 'search') {
      this.mode = 'type';
      this.input(this.beforeSearch, true);
      this.close();
      return true;
    }
    const wasOpen = this.open;
    this.close();
    return wasOpen;
  }

  /** Returns the line to run and starts an empty one. */
  take(): string {
    const { text } = this;
    this.history.add(text);
    this.input('', true);
    return text;
  }

  private search(): void {
    const found = this.history.search(this.text, MAX_SUGGESTIONS);
    this.suggestions = found.map((text): Suggestion => ({ text, kind: 'history' }));
    this.active = this.open ? 0 : -1;
  }

  private recall(entry: string | undefined): boolean {
    if (entry === undefined) return false;
    this.text = entry;
    this.close();
    this.ghost = ghostHint(this.rows, entry.slice(lastCommandStart(entry)));
    return true;
  }

  private close(): void {
    this.suggestions = [];
    this.active = -1;
  }
}
