/** The models of the page, and the current view. The view is kept in the location hash, so that links work. */

import {
  decodeLink,
  decodeLinkOptions,
  isPermalink,
  LinkError,
  linkParts,
  percentDecoded,
  type Permalink,
} from 'keylatch/element';
import { rowNamed } from '../commands/commands.ts';
import { Emitter } from '../base/emitter.ts';
import type { EngineMaker, WorkerEngine } from '../engine/engine.ts';
import { workerEngineFor } from '../engine/lua.ts';
import type { KeyFormat } from '../files/files.ts';
import { type Lesson, lessons } from '../lessons/lessons.ts';
import { Notebook } from '../kept/notebook.ts';
import type { KeptEngine } from '../kept/kept-engine.ts';
import type { LookBack } from '../line/look-back.ts';
import type { PageStore } from '../kept/page-store.ts';
import { sessionOf } from '../recording/recorded-session.ts';
import { SessionEditorModel, type Source } from '../session/session-editor-model.ts';
import { saveFile } from '../share/sharing.ts';
import type { ThemeChoice } from '../style/theme.ts';
import { Visit } from './visit.ts';
import { Workspace } from '../line/workspace.ts';

export type View = 'line' | 'sessions' | 'lessons' | 'commands';

type Parts = ReadonlyMap<string, string>;

export class Playground {
  readonly changes = new Emitter<'view'>();
  readonly workspace: Workspace;
  readonly visit: Visit;
  readonly sessionEditor: SessionEditorModel;
  view: View = 'line';
  /** Command of the card in the command list. */
  command: string | undefined;
  /** Reason why a link could not be opened. */
  linkProblem: string | undefined;
  private isRaceAsked = false;
  private readonly notebook: Notebook;

  constructor(
    private readonly maker: EngineMaker,
    readonly theme: ThemeChoice,
    store: PageStore,
    engine: KeptEngine,
  ) {
    this.notebook = new Notebook(store);
    this.workspace = new Workspace(engine, maker);
    this.visit = new Visit(store, this.workspace, engine, maker);
    this.sessionEditor = new SessionEditorModel(maker, this.notebook);
    this.sessionEditor.changes.on(['source'], () => this.followSource());
  }

  /** Module and seed, for an engine that runs a text in a worker. */
  engineFor(text: string): Promise<WorkerEngine> {
    return workerEngineFor(this.maker, text);
  }

  /** Follows the location hash now and whenever it changes. */
  followHash(): void {
    // Of changes in a row each has its own event; the location is already the last one's.
    addEventListener('hashchange', ({ newURL }) => void this.route(new URL(newURL).hash));
    void this.route(location.hash);
  }

  /**
   * Opens the view of a hash: `#` the command line, `#type=SET%20k` with a line ready in it; `#sessions`, `#new` an
   * empty one, `#session=ID` one of the visitor's own, `#own` the newest of them, `#lesson=NAME`, `#race=NAME`; `&race` behind a session explores its race; `#s=TEXT` and
   * `#v1=...` those of links (permalink.ts); `#lessons`; `#commands`, `#commands=SET`. Any other hash opens the command line
   * with a sentence that says so.
   */
  async route(hash: string): Promise<void> {
    const [word = '', value = ''] = hash.replace(/^#/, '').split(/=(.*)/s);
    const parts = linkParts(hash);
    this.linkProblem = undefined;
    if (isPermalink(parts)) await this.openLink(parts);
    else if (word === 'lesson') await this.openLesson(parts);
    else if (word === 'race') await this.openRace(percentDecoded(value));
    else if (word === 'new') this.showSession({ text: '' });
    else if (word === 'session') await this.openPage(percentDecoded(value));
    else if (word === 'own' || word === 'sessions') await this.showSessions(word === 'own');
    else if (word === 'lessons') this.view = 'lessons';
    else if (word === 'commands') this.showCommands(percentDecoded(value));
    else this.showLine(word, word === 'type' ? percentDecoded(value) : '');
    this.isRaceAsked = parts.has('race') && this.linkProblem === undefined;
    if (this.isRaceAsked) this.sessionEditor.changes.emit('session');
    this.changes.emit('view');
  }

  takeRace(): boolean {
    const { isRaceAsked } = this;
    this.isRaceAsked = false;
    return isRaceAsked;
  }

  /** Continues in the command line from the session's current step, with the clock stopped there. */
  continueInLine(): void {
    this.sessionEditor.whenRun(() => {
      if (this.takeOver()) location.hash = '';
    });
  }

  /** Opens what was typed in the command line as a session, with the keys it started from. */
  openAsSession(): void {
    this.view = 'sessions';
    this.sessionEditor.openOwn(sessionOf(this.workspace.recording.recorded, this.maker));
    this.changes.emit('view');
  }

  /** The typed commands as a session that can be moved through; typing goes on from the moment that is shown. */
  lookBack(Made: typeof LookBack): LookBack {
    return new Made(this.workspace, this.maker, this.notebook);
  }

  /** The typed commands, for a link to the command line. */
  recordedSource(): Source {
    return sessionOf(this.workspace.recording.recorded, this.maker);
  }

  /** Opens a file: a session in its view, keys in the command line. */
  async openFile(file: File): Promise<void> {
    this.linkProblem = undefined;
    const { FileError, openFile } = await import('../files/files.ts');
    try {
      const opened = await openFile(file, this.maker);
      if (opened.kind === 'session') {
        this.view = 'sessions';
        this.sessionEditor.openForeign(opened.source);
      } else {
        this.view = 'line';
        history.replaceState(null, '', '#');
        this.visit.replaceKeys(opened.snapshot, `${file.name}, ${opened.what}`);
      }
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.linkProblem = error.message;
    }
    this.changes.emit('view');
  }

  /** Offers the keys of the command line as a file. */
  async saveKeys(format: KeyFormat): Promise<void> {
    const { keyFile } = await import('../files/files.ts');
    saveFile(`keylatch.${format}`, keyFile(this.workspace.db, format, this.maker));
  }

  /** The address of what is shown: a lesson, or a session of the visitor. */
  private followSource(): void {
    if (this.view !== 'sessions') return;
    const { shown, lesson } = this.sessionEditor;
    const hash = shown.id
      ? `#session=${shown.id}`
      : shown.race
        ? `#race=${shown.race}`
        : lesson
          ? `#lesson=${lesson}`
          : '#sessions';
    if (location.hash.split('&')[0] !== hash) history.replaceState(null, '', hash);
  }

  /** A line from a link is put into the prompt, never run. */
  private showLine(word: string, draft: string): void {
    this.view = 'line';
    if (word !== '' && draft === '')
      this.linkProblem = `This page has nothing at #${percentDecoded(word)}. Here is the command line.`;
    if (draft) this.workspace.offerLine(draft);
  }

  private showSession(source: Source, { step, theme }: Partial<Permalink> = {}): void {
    this.view = 'sessions';
    this.sessionEditor.open(source);
    if (step !== undefined) this.sessionEditor.goTo(step);
    if (theme) this.theme.show(theme);
  }

  private async openLink(parts: Parts): Promise<void> {
    this.view = 'sessions';
    try {
      const link = await decodeLink(parts);
      const { text, title, start } = link;
      // The address of a link stays: it can be copied from there.
      const { hash } = location;
      this.showSession({ text, title, start }, link);
      history.replaceState(null, '', hash);
      if (link.view === 'line' && this.visit.mayOpenLink && this.takeOver()) this.view = 'line';
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      this.linkProblem = error.message;
      await this.openFirst();
    }
  }

  private async openLesson(parts: Parts): Promise<void> {
    this.view = 'sessions';
    const name = percentDecoded(parts.get('lesson') ?? '');
    const lesson = lessons.find((candidate) => candidate.name === name);
    if (lesson) return this.showLesson(lesson, decodeLinkOptions(parts));
    this.linkProblem = `Unknown lesson: ${name}.`;
    await this.openFirst();
  }

  /** Shows a lesson, unless the address has changed while its text was fetched. */
  private async showLesson({ name, title, load }: Lesson, link: Partial<Permalink>): Promise<void> {
    const { hash } = location;
    const text = await load().catch(() => undefined);
    if (location.hash !== hash) return;
    if (text !== undefined) return this.showSession({ text, lesson: name }, link);
    this.linkProblem = `Lesson not loaded: ${title}. Try again with a network.`;
    await this.openFirst();
  }

  /** Opens a race of the lessons by its name, with or without its number. */
  private async openRace(wanted: string): Promise<void> {
    this.view = 'sessions';
    const { raceExamples } = await import('../race/examples.ts');
    const example = raceExamples.find(({ name }) => name === wanted || name.replace(/^\d+-/, '') === wanted);
    if (example) return this.showSession({ text: await example.load(), title: example.title, race: example.name });
    this.linkProblem = `Unknown race: ${wanted}.`;
    await this.openFirst();
  }

  private async openPage(id: string): Promise<void> {
    this.view = 'sessions';
    if (this.sessionEditor.shown.id === id) return;
    await this.notebook.load();
    const page = this.notebook.page(id);
    if (page) return this.sessionEditor.openPage(page);
    this.linkProblem =
      'This session is not in this browser: it was deleted, or written in another one. Share makes a link that works anywhere.';
    await this.openFirst();
  }

  private async showSessions(newest: boolean): Promise<void> {
    this.view = 'sessions';
    if (newest || !this.sessionEditor.text) await this.openFirst();
    else this.followSource();
  }

  /** Shows the visitor's newest session, else the first lesson. */
  private async openFirst(): Promise<void> {
    await this.notebook.load();
    const [page] = this.notebook.pages;
    const [lesson] = lessons;
    if (page) this.sessionEditor.openPage(page);
    else if (lesson) this.sessionEditor.open({ text: await lesson.load(), lesson: lesson.name });
  }

  private takeOver(): boolean {
    const taken = this.sessionEditor.takeAway();
    if (!taken) return false;
    const { snapshot, nowMs } = taken;
    const names = taken.clients.map(({ name }) => name);
    this.visit.replace('The session continues here.', () => this.workspace.takeOver(snapshot, nowMs, names));
    return true;
  }

  private showCommands(name: string): void {
    this.view = 'commands';
    this.command = rowNamed(name)?.name;
    if (name !== '' && this.command === undefined)
      this.linkProblem = `Unknown command: ${name}. Here are all commands.`;
  }
}
