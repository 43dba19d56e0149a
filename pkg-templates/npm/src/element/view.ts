/** The view of `<keylatch-repl>`: buttons, the session's lines with verdicts, the prompt, time and link. Holds no state of a session. */
import { button, enable, make } from './dom.js';
import { Prompt } from './prompt.js';
import { type Row, rowsOf } from './rows.js';
import type { TypedSession } from './typed-session.js';
import { sessionVerdict } from './verdict.js';

/** Actions of a visitor. */
export interface Actions {
  runAll(): void;
  step(): void;
  reset(): void;
  edit(text: string): void;
  type(text: string): Promise<string | undefined>;
}

/** Message in place of a session, with a link if there is somewhere to go. */
export interface Failure {
  readonly message: string;
  readonly link?: string | undefined;
}

const SIGNS = { matched: '✓', mismatched: '✗', ran: '·', problem: '!', stopped: '■', unmet: '' } as const;
const WORDS = {
  matched: 'as expected',
  mismatched: 'not as expected',
  ran: '',
  problem: 'cannot be read',
  stopped: 'stops here',
  unmet: '',
} as const;
/** Lines on the page; a longer session shows its beginning. */
const MAX_ROWS = 2000;
const LOADING_MS = 100;

export class View {
  readonly root = make('div', { className: 'repl', role: 'group', ariaLabel: 'Redis session' });
  readonly prompt: Prompt;
  readonly #lines = make('div', { className: 'lines', role: 'group', ariaLabel: 'Session', tabIndex: 0 });
  readonly #editor = make('textarea', {
    className: 'lines',
    ariaLabel: 'Session text',
    spellcheck: false,
    hidden: true,
  });
  readonly #summary = make('p', { className: 'summary', role: 'status' });
  readonly #failure = make('p', { className: 'problem', role: 'alert', hidden: true });
  readonly #time = make('span', { className: 'time' });
  readonly #open = make('a', { className: 'open', target: '_blank', rel: 'noopener' }, 'Open in playground');
  readonly #run: HTMLButtonElement;
  readonly #step: HTMLButtonElement;
  readonly #reset: HTMLButtonElement;
  readonly #edit: HTMLButtonElement;
  #loading: ReturnType<typeof setTimeout> | undefined;
  /** Text of the session, without what was typed behind it. */
  #text = '';

  constructor(private readonly actions: Actions) {
    this.#run = button('Run all', () => this.#leaveEditor(actions.runAll), 'main');
    this.#step = button('Step', () => this.#leaveEditor(actions.step));
    this.#reset = button('Reset', () => this.#leaveEditor(actions.reset));
    this.#edit = button('Edit', () => (this.#editor.hidden ? this.#enterEditor() : this.#leaveEditor()));
    this.#editor.autocapitalize = 'off';
    this.#editor.addEventListener('input', () => actions.edit(this.#editor.value));
    this.prompt = new Prompt((text) => {
      this.#showEditor(false);
      return actions.type(text);
    });
    const bar = make('div', { className: 'bar' }, this.#run, this.#step, this.#reset, this.#edit, this.#summary);
    const end = make('div', { className: 'end' }, this.#time, this.#open);
    this.root.append(bar, this.#failure, this.#lines, this.#editor, this.prompt.root, end);
  }

  set isReadonly(isReadonly: boolean) {
    this.prompt.root.hidden = this.#edit.hidden = isReadonly;
    if (isReadonly && !this.#editor.hidden) this.#leaveEditor();
  }

  /** Address of the playground with the shown session; undefined shows no link. */
  set link(address: string | undefined) {
    this.#open.hidden = address === undefined;
    if (address !== undefined) this.#open.href = address;
  }

  set time(text: string) {
    this.#time.textContent = text;
  }

  /** Says that something is loaded, unless it is there at once. */
  set isBusy(isBusy: boolean) {
    this.root.ariaBusy = String(isBusy);
    clearTimeout(this.#loading);
    if (isBusy) this.#loading = setTimeout(() => (this.#summary.textContent = 'Loading the engine …'), LOADING_MS);
  }

  set failure(failure: Failure | undefined) {
    this.#failure.hidden = failure === undefined;
    const link = failure?.link;
    const parts = link ? [' ', make('a', { href: link, target: '_blank', rel: 'noopener' }, 'Open in playground')] : [];
    this.#failure.replaceChildren(failure?.message ?? '', ...parts);
  }

  render(state: TypedSession): void {
    this.#text = state.text;
    const { scrollTop } = this.#lines;
    const rows = rowsOf(state);
    const shown = rows.slice(0, MAX_ROWS).map(rowElement);
    if (rows.length > MAX_ROWS)
      shown.push(make('div', { className: 'row note' }, `and ${rows.length - MAX_ROWS} more lines`));
    this.#lines.replaceChildren(...shown);
    this.#lines.scrollTop = scrollTop;
    this.#lines.classList.toggle(
      'several',
      rows.some(({ lane }) => lane > 0),
    );
    const isPartly = state.at > 0 && !state.isAtEnd;
    this.root.classList.toggle('partly', isPartly);
    if (isPartly || state.whole !== state.text) this.#showCurrent();
    const title = state.source.title ?? headingOf(state.text);
    this.root.ariaLabel = title ? `Redis session: ${title}` : 'Redis session';
    const isEmpty = state.whole.trim() === '';
    enable(this.#run, !isEmpty);
    enable(this.#step, !isEmpty && !state.isAtEnd && !state.problem);
    enable(this.#reset, state.hasRun);
    this.prompt.mark = state.prompt;
    this.#summarise(state);
  }

  #summarise(state: TypedSession): void {
    const { isBad, words } = summaryOf(state);
    this.#summary.className = `summary ${words === '' ? '' : isBad ? 'bad' : 'good'}`;
    // Equal words that are set again would be read out again.
    if (this.#summary.textContent !== words) this.#summary.textContent = words;
  }

  /** Brings the current line into view without moving the page. */
  #showCurrent(): void {
    const lines = this.#lines;
    const current = lines.querySelector<HTMLElement>('.current');
    if (!current) return;
    const { top, bottom } = lines.getBoundingClientRect();
    const place = current.getBoundingClientRect();
    const last = lines.lastElementChild?.getBoundingClientRect().bottom ?? bottom;
    const below = Math.min(last, place.bottom + (bottom - top) / 3) - bottom;
    if (place.top < top) lines.scrollTop += place.top - top;
    else if (below > 0) lines.scrollTop += below;
  }

  #enterEditor(): void {
    this.actions.reset();
    this.#editor.value = this.#text;
    this.#showEditor(true);
    this.#editor.focus({ preventScroll: true });
  }

  #leaveEditor(then?: () => void): void {
    this.#showEditor(false);
    then?.();
  }

  #showEditor(isShown: boolean): void {
    if (isShown !== this.#editor.hidden) return;
    const { height } = (isShown ? this.#lines : this.#editor).getBoundingClientRect();
    this.#editor.hidden = !isShown;
    this.#lines.hidden = isShown;
    if (isShown) this.#editor.style.minBlockSize = `${Math.min(height, 480)}px`;
    this.#edit.textContent = isShown ? 'Done' : 'Edit';
  }
}

function rowElement({ look, head, rest, lane, verdict, isLater, isCurrent }: Row): HTMLElement {
  const names = ['row', look, verdict ?? '', isLater ? 'later' : '', isCurrent ? 'current' : ''];
  const text = make('span', { className: 'text' }, make('span', { className: 'head' }, head), rest);
  const sign = make('span', { className: 'sign', ariaHidden: 'true' }, verdict ? SIGNS[verdict] : '');
  const element = make('div', { className: names.filter(Boolean).join(' ') }, sign);
  const words = look === 'got' ? 'received' : verdict && look !== 'reply' ? WORDS[verdict] : '';
  if (words) element.append(make('span', { className: 'unseen' }, `${words}: `));
  element.append(text);
  if (lane > 0) element.dataset['lane'] = String(lane);
  return element;
}

/** The verdict on the steps that are shown, with how many those are. */
function summaryOf({ problem, report, stops, at }: TypedSession): { isBad: boolean; words: string } {
  if (problem) return { isBad: true, words: `✗ Line ${problem.line}, column ${problem.column}: ${problem.message}` };
  if (!report || at === 0) return { isBad: false, words: '' };
  const { differing, checked, words, unchecked } = sessionVerdict(stops.slice(0, at));
  const progress = at < stops.length ? `, step ${at} of ${stops.length}` : '';
  if (differing > 0) return { isBad: true, words: `✗ ${words}${unchecked}${progress}` };
  return { isBad: false, words: `${checked > 0 ? '✓ ' : ''}${words}${progress}` };
}

/** The first heading of a session, for a label that is there before an engine can read the lines. */
function headingOf(text: string): string | undefined {
  const line = text.split('\n').find((one) => /^\s*##/.test(one));
  return line?.trim().replace(/^##\s*/, '');
}
