/** The element `<keylatch-repl>`: reads its attributes and its text, loads the engine when it is needed, and shows the state. */
import type { SessionReport } from '../session/session.js';
import { type EngineMaker, EngineError, loadEngine } from './engine.js';
import { needsLua } from './needs-lua.js';
import { decodeLink, encodeLink, LinkError, MAX_LINK_CHARS, linkParts, isPermalink } from './permalink.js';
import type { SessionSource } from './session-state.js';
import { sheet } from './styles.js';
import { type Theme, REPL_THEMES } from './themes.js';
import { TypedSession } from './typed-session.js';
import { type Failure, View } from './view.js';

/** Settings of all elements of a page, for those that lack the attribute. */
export interface ReplSettings {
  /** Address of keylatch.wasm. Without it the engine comes from the package. */
  readonly wasm?: string | undefined;
  /** Address of the keylatch.wasm of keylatch-scripting, for sessions that run scripts. Without it they run in `wasm`. */
  readonly scripting?: string | undefined;
  /** Address of a playground, for the link "Open in playground". Without it there is no link. */
  readonly playground?: string | undefined;
}

const ATTRIBUTES = ['session', 'link', 'height', 'clock', 'readonly', 'theme', 'wasm', 'playground'] as const;
/** Limits of a height that is a number, in pixels. */
const MIN_HEIGHT = 120;
const MAX_HEIGHT = 4000;
const FORBIDDEN = 'The security policy of this page does not let WebAssembly run, so the session cannot run here.';
const TICK_MS = 1000;
/** Range of Date. */
const LIMIT_MS = 8.64e15;

let settings: ReplSettings = {};
const connected = new Set<KeylatchRepl>();

/** Servers that render a page have no elements: the module can be imported there, and does nothing. */
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/**
 * `<keylatch-repl>`: a session that is shown with its expected replies, run line by line or as a whole, and checked.
 * The session is the element's text, or its first `<pre>`; attributes are described by the properties of the same names.
 * The engine is loaded when a visitor first runs something. All elements of a page share it.
 */
export class KeylatchRepl extends Base {
  /** @internal */
  static readonly observedAttributes: readonly string[] = ATTRIBUTES;
  readonly #state = new TypedSession();
  #view: View | undefined;
  #texts: MutationObserver | undefined;
  #source = '';
  /** Reason why there is no session to show; a run does not change it. */
  #damage: Failure | undefined;
  #links = 0;
  /** Instant of the last run, from which a live clock goes on. */
  #ranAtMs = 0;
  #ticking: ReturnType<typeof setInterval> | undefined;

  /** Sets addresses for all elements of the page; they apply to elements that are there already, too. */
  static configure(given: ReplSettings): void {
    settings = { ...settings, ...given };
    for (const element of connected) element.#showLink();
  }

  /** Text of the session, in place of the element's content. */
  get session(): string | null {
    return this.getAttribute('session');
  }

  set session(text: string | null) {
    this.#set('session', text);
  }

  /** Link of the playground that holds the session: its address, or the part behind `#` (`s=...` or `v1=...`). */
  get link(): string | null {
    return this.getAttribute('link');
  }

  set link(link: string | null) {
    this.#set('link', link);
  }

  /** Height in pixels, or a length of CSS. Without it the element grows with its lines up to a limit, then they scroll. */
  get height(): string | null {
    return this.getAttribute('height');
  }

  set height(height: string | null) {
    this.#set('height', height);
  }

  /** `paused`, which is the default: only lines with `@` move the clock. `live`: it goes on with the system's time after a run. */
  get clock(): 'paused' | 'live' {
    return this.getAttribute('clock') === 'live' ? 'live' : 'paused';
  }

  set clock(clock: 'paused' | 'live') {
    this.setAttribute('clock', clock);
  }

  /** Without a prompt and without an editor: the session can only be run. */
  get readonly(): boolean {
    return this.hasAttribute('readonly');
  }

  set readonly(isReadonly: boolean) {
    this.toggleAttribute('readonly', isReadonly);
  }

  /** `auto`, which is the system's and the default, `light` or `dark`. */
  get theme(): Theme {
    return REPL_THEMES.find((theme) => theme === this.getAttribute('theme')) ?? 'auto';
  }

  set theme(theme: Theme) {
    this.setAttribute('theme', theme);
  }

  /** Address of keylatch.wasm, in place of that of `configure`. */
  get wasm(): string | null {
    return this.getAttribute('wasm');
  }

  set wasm(address: string | null) {
    this.#set('wasm', address);
  }

  /** Address of the playground that "Open in playground" opens, in place of that of `configure`. */
  get playground(): string | null {
    return this.getAttribute('playground');
  }

  set playground(address: string | null) {
    this.#set('playground', address);
  }

  /** The session with what was typed behind it. */
  get text(): string {
    return this.#state.whole;
  }

  /** Runs all of the session. Resolves with its report; with undefined if it cannot run, which the element says. */
  async run(): Promise<SessionReport | undefined> {
    await this.#with((make) => this.#state.run(make));
    return this.#state.report;
  }

  /** Runs the next line of the session. */
  async step(): Promise<void> {
    await this.#with((make) => this.#state.step(make));
  }

  /** Shows the session as if nothing had run, without the typed lines. */
  reset(): void {
    this.#state.reset();
    this.#render();
  }

  /** @internal */
  connectedCallback(): void {
    connected.add(this);
    this.#view ??= this.#build();
    // While a page is parsed, the text comes after the element.
    this.#texts = new MutationObserver(() => void this.#readSource());
    this.#texts.observe(this, { childList: true, characterData: true, subtree: true });
    this.#applyLook();
    void this.#readSource();
  }

  /** @internal */
  disconnectedCallback(): void {
    connected.delete(this);
    this.#texts?.disconnect();
    clearInterval(this.#ticking);
  }

  /** @internal */
  attributeChangedCallback(name: string): void {
    if (!this.#view) return;
    if (name === 'session' || name === 'link') void this.#readSource();
    else this.#applyLook();
  }

  #set(name: string, value: string | null): void {
    if (value === null) this.removeAttribute(name);
    else this.setAttribute(name, value);
  }

  #build(): View {
    const view = new View({
      runAll: () => void this.run(),
      step: () => void this.step(),
      reset: () => this.reset(),
      edit: (text) => this.#edit(text),
      type: (text) => this.#type(text),
    });
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet()];
    root.append(view.root);
    view.root.addEventListener('pointerover', (event) => this.#prepare(event));
    view.root.addEventListener('focusin', (event) => this.#prepare(event));
    return view;
  }

  /** Loads the engine while the visitor is about to use it: not for those that only read. */
  #prepare({ target }: Event): void {
    if (!(target instanceof Element) || !target.matches('button, input')) return;
    void this.#engine().catch(() => undefined);
  }

  /** The engine for the session, and for a line that is typed behind it. */
  async #engine(typed = ''): Promise<EngineMaker> {
    return loadEngine(this.#wasm(`${this.#state.whole}\n${typed}`));
  }

  #applyLook(): void {
    const view = this.#view;
    if (!view) return;
    view.root.dataset['theme'] = this.theme;
    view.isReadonly = this.readonly;
    const height = heightOf(this.height);
    view.root.style.blockSize = height ?? '';
    view.root.style.maxBlockSize = height === undefined ? '' : 'none';
    this.#showTime();
    this.#showLink();
  }

  /** Reads text or link; a text that has not changed leaves the state as it is. */
  async #readSource(): Promise<void> {
    const { session, link } = this;
    const source = session ?? (link === null ? ownText(this) : `#${link}`);
    if (source === this.#source) return;
    this.#source = source;
    if (session !== null || link === null) return this.#show({ text: source });
    const parts = linkParts(link.replace(/^[^#]*#/, ''));
    try {
      if (!isPermalink(parts)) throw new LinkError('The attribute `link` is no link of a session.');
      const { text, title, start } = await decodeLink(parts);
      if (this.#source === source) this.#show({ text, title, start });
    } catch (error) {
      if (this.#source === source) this.#show({ text: '' }, { message: messageOf(error) });
    }
  }

  #show(source: SessionSource, failure?: Failure): void {
    this.#damage = failure;
    this.#state.open(source);
    this.#render();
    if (this.#view) this.#view.failure = failure;
  }

  #edit(text: string): void {
    this.#state.edit(text);
    this.#render();
  }

  async #type(text: string): Promise<string | undefined> {
    let problem: string | undefined = 'the engine is not there';
    await this.#with((make) => {
      const isLive = this.clock === 'live' && this.#ranAtMs > 0;
      problem = this.#state.type(make, text, isLive ? Date.now() - this.#ranAtMs : 0);
    }, text);
    return problem;
  }

  /** Does something with an engine, which is loaded first. */
  async #with(work: (make: EngineMaker) => void, typed?: string): Promise<void> {
    const view = this.#view;
    if (!view) return;
    view.isBusy = true;
    try {
      const make = await this.#engine(typed);
      view.failure = this.#damage;
      work(make);
      this.#ranAtMs = Date.now();
    } catch (error) {
      view.failure = await this.#failureOf(error);
    } finally {
      view.isBusy = false;
      this.#render();
    }
  }

  async #failureOf(error: unknown): Promise<Failure> {
    const isForbidden = error instanceof EngineError && error.isForbidden;
    const message = isForbidden ? FORBIDDEN : `Nothing can run: ${messageOf(error)}.`;
    return { message, link: await this.#playgroundLink() };
  }

  #wasm(text: string): string {
    const scripting = needsLua(text) ? settings.scripting : undefined;
    const address = this.wasm ?? scripting ?? settings.wasm ?? '';
    return address && new URL(address, document.baseURI).href;
  }

  #render(): void {
    this.#view?.render(this.#state);
    this.#showTime();
    this.#showLink();
  }

  #showTime(): void {
    clearInterval(this.#ticking);
    const step = this.#state.stops[this.#state.at - 1];
    const isLive = this.clock === 'live' && this.#state.isAtEnd;
    const show = (): void => {
      const passedMs = isLive ? Date.now() - this.#ranAtMs : 0;
      if (this.#view) this.#view.time = step ? timeText(step.nowMs + passedMs) : '';
    };
    show();
    if (isLive && this.isConnected) this.#ticking = setInterval(show, TICK_MS);
  }

  /** Writes the present state into the link, so that a click finds it there. */
  #showLink(): void {
    const links = (this.#links += 1);
    void this.#playgroundLink().then((link) => {
      if (this.#view && links === this.#links) this.#view.link = link;
    });
  }

  async #playgroundLink(): Promise<string | undefined> {
    const playground = this.playground ?? settings.playground;
    if (playground === undefined || !URL.canParse(playground, document.baseURI)) return undefined;
    const { whole, source, at, stops } = this.#state;
    const address = new URL(playground, document.baseURI);
    if (!/^https?:$/.test(address.protocol)) return undefined;
    const theme = this.theme === 'auto' ? undefined : this.theme;
    const step = at > 0 && at < stops.length ? at : undefined;
    const { title } = source;
    const start = source.start;
    const hash = whole === '' ? 'new' : await encodeLink({ text: whole, title, start, step, theme });
    address.hash = '';
    return hash.length > MAX_LINK_CHARS ? address.href : `${address.href.replace(/#$/, '')}#${hash}`;
  }
}

/** Text of an element: that of its first `<pre>`, beside which there may be a link for pages without scripts. */
function ownText(element: HTMLElement): string {
  return (element.querySelector('pre') ?? element).textContent ?? '';
}

/** A height as CSS: a number is in pixels and limited; undefined for anything else that is no length. */
function heightOf(given: string | null): string | undefined {
  const text = given?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(text)) return `${Math.min(Math.max(Number(text), MIN_HEIGHT), MAX_HEIGHT)}px`;
  return text !== '' && text !== 'auto' && CSS.supports('block-size', text) ? text : undefined;
}

function timeText(ms: number): string {
  return new Date(Math.min(Math.max(ms, -LIMIT_MS), LIMIT_MS))
    .toISOString()
    .replace('T', ' ')
    .replace(/\.?0*Z$/, '');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
