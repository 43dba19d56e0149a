/** Everything the page shows, and which part of it is in view. The view is written in the location hash, so links work. */

import { rowNamed } from './commands.ts';
import { Emitter } from './emitter.ts';
import type { EngineMaker } from './engine.ts';
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
  /** The command whose card the command list shows. */
  command: string | undefined;
  /** Why a link could not be opened. */
  linkProblem: string | undefined;

  constructor(
    maker: EngineMaker,
    readonly theme: ThemeChoice,
  ) {
    this.workspace = new Workspace(maker);
    this.sessionEditor = new SessionEditorModel(maker);
  }

  /** Follows the location hash now and whenever it changes. */
  followHash(): void {
    addEventListener('hashchange', () => void this.route(location.hash));
    void this.route(location.hash);
  }

  /**
   * `#` the command line, `#type=SET%20k` the same with a line ready in it; `#sessions`, `#new` an empty one, `#own` what
   * the visitor wrote, `#lesson=NAME`, `#v1=...` a shared one; `#commands`, `#commands=SET`. Anything else is the command line.
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

  /** Goes on in the command line from the instant that the session view looks at, with the clock stopped there. */
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

  /** Opens what was typed in the command line as a session. */
  openAsSession(text: string): void {
    this.sessionEditor.openOwn(text);
    location.hash = 'sessions';
  }

  /** The text of the session was edited: the address, which may name a lesson, tells of it no more. */
  editSession(text: string): void {
    this.sessionEditor.edit(text);
    this.leaveAddress();
  }

  /** Puts the replies that came into the text. */
  fillInReplies(): void {
    if (!this.sessionEditor.report) return;
    this.sessionEditor.openOwn(this.sessionEditor.report.text);
    this.leaveAddress();
  }

  /** Asked at each keystroke; browsers bear only so many changes of the address. */
  private leaveAddress(): void {
    if (location.hash !== '#sessions') history.replaceState(null, '', '#sessions');
  }

  /** A line that a link brings is put into the prompt, never run. */
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

/** A part of the hash as it was meant; one that cannot be decoded is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
