/** Input field for commands: a real textarea with a ghost hint behind the text and a list of suggestions above it. */

import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { commandNames } from '../commands/command-names.ts';
import type { LineEditor } from './line-editor.ts';
import type { LineProblem } from './typed-command.ts';
import { controls, lanes } from '../style/controls.ts';
import { isUnfinished, lastCommandStart, splitCommands } from 'keylatch/hints';
import { fieldText, pastedCommands } from '../text/paste.ts';
import type { PromptedLine } from './prompted-line.ts';
import { promptStyles } from './prompt-styles.ts';
import { LineCheck } from './line-check.ts';
import { suggestionList } from './suggestions.ts';
import { watch } from '../parts/watch.ts';

/** The hint is read out when the typing pauses, not at each key. */
const HINT_PAUSE_MS = 700;

export class Prompt extends LitElement {
  static override properties = {
    workspace: { attribute: false },
    problem: { state: true },
    announcedHint: { state: true },
  };
  static override styles = [controls, lanes, promptStyles];
  declare workspace: PromptedLine;
  declare private problem: LineProblem | undefined;
  declare private announcedHint: string;
  private hintTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly check = new LineCheck(this);
  /** Commands that wait for the engine with Lua, in their order. */
  private loading: Promise<void> | undefined;

  constructor() {
    super();
    this.announcedHint = '';
    watch(this, () => this.workspace.changes, ['clients', 'keys']);
  }

  override firstUpdated(): void {
    // On a touch screen the keyboard would cover the log.
    if (matchMedia('(pointer: fine)').matches) this.focusLine();
  }

  focusLine(): void {
    this.area?.focus({ preventScroll: true });
  }

  override render(): TemplateResult {
    const { editor, problem } = this;
    const { active, mayWrite } = this.workspace;
    const searching = editor.mode === 'search';
    return html`
      ${suggestionList(editor, (index) => this.choose(index))}
      <form data-lane=${active.lane} @submit=${this.submit}>
        <label for="line" class=${searching ? 'searching' : 'prompt'}>${searching ? 'search history:' : active.prompt}</label>
        <div class="stack">
          <div class="mirror" aria-hidden="true">${this.renderMirror()}</div>
          <textarea
            id="line"
            rows="1"
            .value=${editor.text}
            spellcheck="false"
            autocapitalize="off"
            autocomplete="off"
            autocorrect="off"
            enterkeyhint="send"
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls=${editor.open ? 'suggestions' : nothing}
            aria-activedescendant=${editor.active >= 0 ? `suggestion-${editor.active}` : nothing}
            aria-describedby=${problem ? 'problem' : 'hint'}
            aria-invalid=${problem ? 'true' : nothing}
            ?disabled=${!mayWrite}
            placeholder=${searching ? '' : mayWrite ? 'Type a command' : 'Another tab has this command line'}
            @input=${this.edited}
            @keydown=${this.pressed}
            @paste=${this.pasted}
            @blur=${this.left}
          ></textarea>
        </div>
        ${mayWrite ? html`<button class="button main" type="submit">Run</button>` : html`<button class="button main" type="button" @click=${() => this.dispatchEvent(new CustomEvent('takeover'))}>Take over</button>`}
      </form>
      ${problem && html`<p id="problem" class="problem" role="alert">${problem.message}${problem.column > 0 ? ` (column ${problem.column})` : nothing}</p>`}
      ${this.check.render((text) => this.use(text))}
      <p id="hint" class="unseen">${this.announcedHint}</p>
      <p class="unseen" role="status">${editor.open && !searching ? `${editor.suggestions.length} suggestions, Tab accepts the first` : ''}</p>
      ${editor.ghost && html`<p class="ghost-line" aria-hidden="true">${editor.commandName ? `${editor.commandName} ` : editor.text}<b>${editor.ghost.trim()}</b></p>`}
      ${this.renderTouchKeys()}
      <p class="keys" aria-hidden="true">
        <span><kbd>Enter</kbd> runs</span> <span><kbd>Tab</kbd> completes</span> <span><kbd>↑</kbd> history</span>
        <span><kbd>Ctrl R</kbd> search</span> <span><kbd>F1</kbd> help</span>
        ${this.workspace.clients.length > 1 ? html`<span><kbd>Alt 1</kbd> to <kbd>Alt ${this.workspace.clients.length}</kbd> clients</span>` : nothing}
      </p>
    `;
  }

  /** Buttons for keys that screen keyboards lack, and for the way to the keys of the database. */
  private renderTouchKeys(): TemplateResult {
    const keys: readonly { label: string; name: string; act: () => unknown }[] = [
      { label: 'Tab', name: 'Tab completes', act: () => this.tab() },
      { label: '↑', name: '↑ Previous command', act: () => this.up() },
      { label: '↓', name: '↓ Next command', act: () => this.down() },
      { label: 'Search', name: 'Search the history', act: () => this.editor.startSearch() },
      { label: 'Help', name: 'Help for the command', act: () => this.help() },
    ];
    return html`<div class="touch" role="toolbar" aria-label="Keys of the prompt">
      ${keys.map(({ label, name, act }) => html`<button class="button" aria-label=${name} @pointerdown=${keepFocus} @click=${() => this.touched(act)}>${label}</button>`)}
      <button class="button push" @click=${() => this.dispatchEvent(new CustomEvent('keys'))}>Keys <span class="count">${this.workspace.keys.count.toLocaleString('en')}</span></button>
    </div>`;
  }

  private touched(act: () => unknown): void {
    act();
    this.changed();
    this.focusLine();
  }

  /** An invisible copy of the text, so that the ghost starts where the text ends; with a mark under a syntax error. */
  private renderMirror(): TemplateResult {
    const { editor, problem } = this;
    // A break is allowed where the ghost starts, as the textarea without it would break there.
    if (!problem?.column) return html`${this.renderChecked()}\u200b<span class="ghost">${editor.ghost}</span>`;
    const characters = [...editor.text];
    const at = problem.column - 1;
    return html`${characters.slice(0, at).join('')}<mark>${characters[at] ?? ' '}</mark>${characters.slice(at + 1).join('')}\u200b`;
  }

  /** The text, with a mark under a word that fits nowhere. */
  private renderChecked(): TemplateResult {
    const { text } = this.editor;
    const { fault } = this.check;
    if (!fault || fault.end > text.length) return html`${text}`;
    return html`${text.slice(0, fault.start)}<mark class="misfit">${text.slice(fault.start, fault.end)}</mark>${text.slice(fault.end)}`;
  }

  private get editor(): LineEditor {
    return this.workspace.line;
  }

  private get area(): HTMLTextAreaElement | null {
    return this.renderRoot.querySelector('textarea');
  }

  private edited(): void {
    const { area } = this;
    if (!area) return;
    this.problem = undefined;
    this.editor.input(area.value, area.selectionEnd === area.value.length);
    this.changed();
  }

  private changed(): void {
    clearTimeout(this.hintTimer);
    this.hintTimer = setTimeout(() => (this.announcedHint = this.editor.ghost.trim()), HINT_PAUSE_MS);
    this.check.follow(this.editor);
    this.requestUpdate();
  }

  private pressed(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const handled = event.altKey
      ? this.pressedWithAlt(event)
      : event.ctrlKey || event.metaKey
        ? this.pressedWithControl(event)
        : this.pressedPlain(event);
    if (!handled) return;
    event.preventDefault();
    this.changed();
  }

  private pressedWithControl(event: KeyboardEvent): boolean {
    if (event.key === 'r' && event.ctrlKey) this.editor.startSearch();
    else if (event.key === ' ') this.editor.suggest(true);
    else if (event.key === 'Enter') this.runField();
    else return false;
    return true;
  }

  /** Alt with a digit chooses a client. The code is that of the key, because Alt changes the letter on some systems. */
  private pressedWithAlt(event: KeyboardEvent): boolean {
    const digit = /^Digit(\d)$/.exec(event.code)?.[1];
    const client = digit === undefined ? undefined : this.workspace.clients[Number(digit) - 1];
    if (client) this.workspace.selectClient(client);
    return client !== undefined;
  }

  private pressedPlain(event: KeyboardEvent): boolean {
    switch (event.key) {
      case 'Enter':
        return !event.shiftKey && this.enter();
      case 'Tab':
        return !event.shiftKey && this.tab();
      case 'ArrowDown':
        return this.down();
      case 'ArrowUp':
        return this.up();
      case 'Escape':
        return this.escape();
      case 'F1':
        return this.help();
      default:
        return false;
    }
  }

  private escape(): boolean {
    if (!this.workspace.pasting.isRunning) return this.editor.cancel();
    this.workspace.pasting.stop();
    return true;
  }

  private enter(): boolean {
    if (this.editor.active >= 0 || this.editor.mode === 'search') this.choose();
    else if (!this.continueScript()) this.runField();
    return true;
  }

  /** Tab completes while there are candidates, or takes what was probably meant; else it moves the focus. */
  private tab(): boolean {
    if (this.editor.open) {
      this.choose();
      return true;
    }
    const [meant] = this.check.drafts;
    if (meant !== undefined) this.use(meant);
    return meant !== undefined || (this.editor.text.trim() !== '' && this.editor.suggest(true));
  }

  private down(): boolean {
    if (this.editor.open) this.editor.move(1);
    else return this.onEdge('last') && this.recalled(this.editor.newer());
    return true;
  }

  private up(): boolean {
    if (this.editor.active > 0 || (this.editor.open && this.editor.active === 0)) this.editor.move(-1);
    else return this.onEdge('first') && this.recalled(this.editor.older());
    return true;
  }

  /** True when the cursor is in the first or last line: inside a longer text the arrows move the cursor. */
  private onEdge(edge: 'first' | 'last'): boolean {
    const { area } = this;
    if (!area) return false;
    const beyond = edge === 'first' ? area.value.slice(0, area.selectionStart) : area.value.slice(area.selectionEnd);
    return !beyond.includes('\n');
  }

  private recalled(found: boolean): boolean {
    if (found) void this.caretToEnd();
    return found;
  }

  private choose(index?: number): void {
    this.editor.accept(index);
    this.changed();
    void this.caretToEnd();
  }

  private async caretToEnd(): Promise<void> {
    this.requestUpdate();
    await this.updateComplete;
    this.area?.setSelectionRange(this.editor.text.length, this.editor.text.length);
    this.focusLine();
  }

  /** Puts a corrected line into the field. */
  private use(text: string): void {
    this.editor.input(text, true);
    this.changed();
    void this.caretToEnd();
  }

  private submit(event: Event): void {
    event.preventDefault();
    if (!this.continueScript()) this.runField();
    this.focusLine();
  }

  private runField(): void {
    if (this.workspace.pasting.isRunning) return;
    const { text } = this.editor;
    this.whenPrepared(text, () => this.run(text));
  }

  /** Enter inside the quotes of a script begins its next line. */
  private continueScript(): boolean {
    const { text } = this.editor;
    const { area } = this;
    if (!area || !isUnfinished(text.slice(lastCommandStart(text)))) return false;
    area.setRangeText('\n', area.selectionStart, area.selectionEnd, 'end');
    area.dispatchEvent(new Event('input', { bubbles: true }));
    return true;
  }

  /** Runs an action, after what a text needs is loaded, and after actions that wait for that. */
  private whenPrepared(text: string, act: () => void | Promise<void>): void {
    const done = (): void | Promise<void> => {
      const end = act();
      this.changed();
      return end;
    };
    const loading = this.loading?.then(() => this.workspace.prepare(text)) ?? this.workspace.prepare(text);
    if (!loading) return void done();
    this.takeLine(text);
    const refuse = (message: string): void => {
      this.problem = { message, column: 0 };
      if (this.editor.text === '') this.editor.input(text, false);
      this.changed();
    };
    const finished = loading
      .then((problem) => (problem === undefined ? done() : refuse(problem)))
      .finally(() => {
        if (this.loading === finished) this.loading = undefined;
      });
    this.loading = finished;
    this.changed();
  }

  /** Runs typed lines in order; one that cannot be parsed returns to the field with the rest. */
  private run(text: string): void {
    for (const command of splitCommands(text)) {
      const problem = this.workspace.runLine(command.text);
      if (!problem) continue;
      this.problem = problem;
      this.editor.input(text.slice(command.start), false);
      return;
    }
    this.takeLine(text);
  }

  /** Empties the field, unless something else is typed by now. */
  private takeLine(text: string): void {
    if (this.editor.text === text) this.editor.take();
  }

  private help(): boolean {
    this.workspace.runLine(`help ${this.editor.commandName}`);
    return true;
  }

  /** Runs a pasted transcript or list of commands immediately; a single line is only inserted. */
  private pasted(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const commands = pastedCommands(text, commandNames);
    const [first] = commands;
    const several = commands.length > 1 || (commands.length === 1 && /\n\s*\S/.test(text));
    if (
      !first ||
      this.workspace.pasting.isRunning ||
      this.editor.text !== '' ||
      (!several && first.text === text.trim())
    )
      return;
    event.preventDefault();
    const { name, connection } = this.workspace.active;
    if (!several) this.editor.input(fieldText(first, { name, database: connection.db }), true);
    else this.whenPrepared(text, () => this.runPasted(text));
    this.changed();
  }

  private async runPasted(text: string): Promise<void> {
    this.problem = await this.workspace.runPasted(text);
    this.changed();
  }

  private left(): void {
    if (this.editor.cancel()) this.changed();
  }
}

customElements.define('kl-prompt', Prompt);

/** A pressed button leaves the focus in the line, so that the screen keyboard stays. */
function keepFocus(event: Event): void {
  event.preventDefault();
}

declare global {
  interface HTMLElementTagNameMap {
    'kl-prompt': Prompt;
  }
}
