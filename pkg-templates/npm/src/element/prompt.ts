/** The field below the session: a line of text with a history of its own. */
import { button, make } from './dom.js';

export class Prompt {
  readonly root: HTMLElement;
  readonly #label = make('span', { className: 'mark', ariaHidden: 'true' }, '>');
  readonly #field = make('input', {
    type: 'text',
    className: 'field',
    ariaLabel: 'Command',
    placeholder: 'Type a command',
    spellcheck: false,
    autocomplete: 'off',
    autocapitalize: 'off',
    enterKeyHint: 'send',
  });
  readonly #problem = make('p', { className: 'problem', role: 'alert', hidden: true });
  readonly #history: string[] = [];
  #recalled = 0;

  /** `run` returns the reason why a text was not run, which then stays in the field. */
  constructor(private readonly run: (text: string) => Promise<string | undefined>) {
    this.#field.setAttribute('autocorrect', 'off');
    this.#field.addEventListener('keydown', (event) => this.#pressed(event));
    this.#field.addEventListener('paste', (event) => this.#pasted(event));
    const line = make(
      'div',
      { className: 'line' },
      this.#label,
      this.#field,
      button('Run', () => this.#submit()),
    );
    this.root = make('div', { className: 'prompt' }, line, this.#problem);
  }

  set mark(text: string) {
    this.#label.textContent = text;
    this.#field.ariaLabel = text === '>' ? 'Command' : `Command, ${text}`;
  }

  #submit(): void {
    void this.#send(this.#field.value);
  }

  async #send(text: string): Promise<void> {
    if (text.trim() === '') return;
    const problem = await this.run(text);
    this.#problem.textContent = problem ?? '';
    this.#problem.hidden = problem === undefined;
    this.#field.ariaInvalid = problem === undefined ? null : 'true';
    if (problem !== undefined) return;
    if (this.#history.at(-1) !== text) this.#history.push(text);
    this.#recalled = this.#history.length;
    if (this.#field.value === text || text.includes('\n')) this.#field.value = '';
  }

  #pressed(event: KeyboardEvent): void {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const { key } = event;
    if (key === 'Enter') this.#submit();
    else if (key === 'ArrowUp') this.#recall(-1);
    else if (key === 'ArrowDown') this.#recall(1);
    else return;
    event.preventDefault();
  }

  #recall(step: number): void {
    this.#recalled = Math.min(Math.max(this.#recalled + step, 0), this.#history.length);
    this.#field.value = this.#history[this.#recalled] ?? '';
  }

  /** A pasted text of several lines runs at once: the field has one line. */
  #pasted(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (this.#field.value !== '' || !/\n\s*\S/.test(text)) return;
    event.preventDefault();
    void this.#send(text);
  }
}
