/** The models of the page, and the current view. The view is kept in the location hash, so that links work. */

import { rowNamed } from './commands.ts';
import { Emitter } from './emitter.ts';
import type { Engine, EngineMaker } from './engine.ts';
import { lessons } from './lessons.ts';
import { SessionEditorModel } from './session-editor-model.ts';
import { decodeShare } from './share.ts';
import type { ThemeChoice } from './theme.ts';
import { Workspace } from './workspace.ts';

export type View = 'line' | 'sessions' | 'commands';

export class Playground {
  readonly changes = new Emitter<'view'>();
  readonly workspace: Workspace;
  readonly sessionEditor: SessionEditorModel;
  view: View = 'line';
  /** Command of the card in the command list. */
  command: string | undefined;
  /** Reason why a link could not be opened. */
  linkProblem: string | undefined;

  constructor(
    maker: EngineMaker,
    readonly theme: ThemeChoice,
    engine: Engine,
  ) {
    this.workspace = new Workspace(engine);
    this.sessionEditor = new SessionEditorModel(maker);
  }

  /** Follows the location hash now and whenever it changes. */
  followHash(): void {
    addEventListener('hashchange', () => void this.route(location.hash));
    void this.route(location.hash);
  }

  /**
   * Opens the view of a hash: `#` the command line, `#type=SET%20k` with a line ready in it; `#sessions`, `#new` an
   * empty one, `#own` the visitor's text, `#lesson=NAME`, `#v1=...` a shared one; `#commands`, `#commands=SET`. Any
   * other hash opens the command line.
   */
  async route(hash: string): Promise<void> {
    const [word = '', value = ''] = hash.replace(/^#/, '').split(/=(.*)/s);
    this.linkProblem = undefined;
    if (word === 'v1') await this.openShared(hash);
    else if (word === 'lesson') this.openLesson(decoded(value));
    else if (word === 'new') this.showSession('');
    else if (word === 'own') this.showSession(this.sessionEditor.own);
    else if (word === 'sessions') this.showSessions();
    else if (word === 'commands') this.showCommands(decoded(value));
    else this.showLine(word === 'type' ? decoded(value) : '');
    this.changes.emit('view');
  }

  /** Continues in the command line from the session's current step, with the clock stopped there. */
  continueInLine(): void {
    const taken = this.sessionEditor.takeAway();
    if (!taken) return;
    this.workspace.takeOver(
      taken.snapshot,
      taken.nowMs,
      taken.clients.map((client) => client.name),
    );
    location.hash = '';
  }

  /** Opens the log of the command line as a session. */
  openAsSession(text: string): void {
    this.sessionEditor.openOwn(text);
    location.hash = 'sessions';
  }

  /** Handles an edit of the session's text: a lesson's name is removed from the address. */
  editSession(text: string): void {
    this.sessionEditor.edit(text);
    this.leaveAddress();
  }

  /** Writes the received replies into the text. */
  fillInReplies(): void {
    if (!this.sessionEditor.report) return;
    this.sessionEditor.openOwn(this.sessionEditor.report.text);
    this.leaveAddress();
  }

  /** Called at each keystroke; browsers limit the rate of address changes. */
  private leaveAddress(): void {
    if (location.hash !== '#sessions') history.replaceState(null, '', '#sessions');
  }

  /** A line from a link is put into the prompt, never run. */
  private showLine(draft: string): void {
    this.view = 'line';
    if (draft) this.workspace.line.input(draft, true);
  }

  private showSession(text: string, lesson?: string): void {
    this.view = 'sessions';
    this.sessionEditor.open(text, lesson);
  }

  private async openShared(hash: string): Promise<void> {
    this.view = 'sessions';
    try {
      this.showSession((await decodeShare(hash)) ?? '');
    } catch {
      this.linkProblem = 'This link does not hold a session: it is cut short or damaged.';
      this.openFirst();
    }
  }

  private openLesson(name: string): void {
    this.view = 'sessions';
    const lesson = lessons.find((candidate) => candidate.name === name);
    if (lesson) this.showSession(lesson.text, lesson.name);
    else {
      this.linkProblem = `Unknown lesson: ${name}.`;
      this.openFirst();
    }
  }

  private showSessions(): void {
    this.view = 'sessions';
    this.openFirst();
  }

  private openFirst(): void {
    if (this.sessionEditor.text) return;
    const [first] = lessons;
    if (this.sessionEditor.own) this.sessionEditor.open(this.sessionEditor.own);
    else if (first) this.sessionEditor.open(first.text, first.name);
  }

  private showCommands(name: string): void {
    this.view = 'commands';
    this.command = rowNamed(name)?.name;
  }
}

/** Decodes a part of the hash; returns it unchanged when it cannot be decoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
