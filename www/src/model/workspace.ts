/**
 * State of the command line: one engine, its clock, its clients, and the log. Components render from it and call its
 * methods.
 */

import type { Keylatch, KeyEvent } from 'keylatch/core';
import { LineError } from 'keylatch/core';
import { printReply, splitLine } from 'keylatch/hints';
import { addressedLine } from '../text/addressed-line.ts';
import { isoText, readClockLine, remainingText, stepText } from '../text/durations.ts';
import { isPrintedRaw, rawLines } from '../text/output.ts';
import { splitReplies } from '../text/resp-split.ts';
import { pastedCommands } from '../text/paste.ts';
import { commandNames } from './command-names.ts';
import { commandRows, rowNamed } from './commands.ts';
import { Emitter } from './emitter.ts';
import type { Engine } from './engine.ts';
import { History } from './history.ts';
import { LineEditor } from './line-editor.ts';
import { Log } from './log.ts';
import { PageClock } from './page-clock.ts';
import { commandText } from './key-edit.ts';
import { keyLabel } from './key-label.ts';
import { KeyList } from './key-list.ts';
import { FIRST_NAME, NamedClient } from './named-client.ts';
import { PasteOutcome } from './paste-outcome.ts';
import { Recording } from './recording.ts';
import { Slices } from './slices.ts';
import { Tour } from './tour.ts';
import { keptLog, type WorkspaceState } from './workspace-state.ts';

export type WorkspaceTopic = 'log' | 'clients' | 'keys';

/** Reason why a line was not run, and its column: columns count characters, from 1. */
export interface LineProblem {
  readonly message: string;
  readonly column: number;
}

/** Client name of the buttons in the key list. */
const INSPECTOR_NAME = 'keys';
const MAX_CLIENTS = 8;
const READ_ONLY = 'Another tab has these keys. Take over to type here.';

export class Workspace {
  readonly changes = new Emitter<WorkspaceTopic>();
  private readonly history = new History();
  readonly log = new Log();
  readonly tour = new Tour();
  /** The edited line. */
  readonly line: LineEditor;
  readonly db: Keylatch;
  readonly clock: PageClock;
  clients: readonly NamedClient[] = [];
  active: NamedClient;
  readonly keys: KeyList;
  /** Typed commands, for the session that is made of them. */
  recording = new Recording();
  /** Database of the inspector's last command in the recording. */
  private inspectedDatabase = 0;
  private expired: string[] = [];
  private readOnly = false;
  /** True while a pasted text runs. */
  isPasting = false;

  constructor({ db, clock }: Engine) {
    this.db = db;
    this.clock = new PageClock(clock, () => db.nextExpiry());
    this.keys = new KeyList(db);
    this.line = new LineEditor(commandRows, this.history, (prefix, limit) =>
      this.keys.labelsStartingWith(prefix, limit),
    );
    this.active = this.openClient(FIRST_NAME);
    db.on('*', (event) => this.noteEvent(event), { buffer: true });
    this.clock.changes.on(['clock'], () => this.afterChange());
  }

  get mayOpenClient(): boolean {
    return this.clients.length < MAX_CLIENTS;
  }

  /** True while nothing was typed. */
  get isFresh(): boolean {
    return this.recording.isEmpty;
  }

  openClient(name = this.freeName()): NamedClient {
    const client = new NamedClient(this.db, name, this.freeLane());
    this.clients = [...this.clients, client];
    this.selectClient(client);
    return client;
  }

  /** Closes a client, except the last one. */
  closeClient(client: NamedClient): void {
    if (this.clients.length === 1) return;
    client.connection.close();
    this.recording.reconnected(client.name);
    this.clients = this.clients.filter((other) => other !== client);
    if (this.active === client) this.active = this.clients[0] as NamedClient;
    this.changes.emit('clients');
  }

  selectClient(client: NamedClient): void {
    this.active = client;
    this.refreshKeys();
    this.changes.emit('clients');
  }

  /** Runs a typed line, as the client that it names; one that cannot be parsed is not run but returned as a problem. */
  runLine(text: string): LineProblem | undefined {
    this.tour.follow(text.trim());
    const { client, command, skipped } = addressedLine(text);
    const problem = this.run(command, this.clientNamed(client));
    this.afterChange();
    return problem && { ...problem, column: problem.column + skipped };
  }

  /** Runs a pasted text command by command, each as the client of its prompt, up to the first that cannot be parsed. */
  async runPasted(text: string): Promise<LineProblem | undefined> {
    const commands = pastedCommands(text, commandNames);
    const outcome = new PasteOutcome();
    const slices = new Slices(() => this.afterChange());
    let problem: LineProblem | undefined;
    this.isPasting = true;
    for (const command of commands) {
      await slices.pause();
      if (!this.isPasting) break;
      const before = this.log.last;
      problem = this.run(command.text, this.clientNamed(command.client));
      if (problem) break;
      outcome.add(command, this.log.last === before ? undefined : this.log.last);
    }
    this.isPasting = false;
    if (commands.length > 1 || outcome.compared > 0) this.note(outcome.summary(commands.length));
    this.afterChange();
    return problem;
  }

  /** Ends a pasted text before its next command. */
  stopPasting(): void {
    this.isPasting = false;
  }

  /** Runs words as a client of the inspector that exists only for this command, and logs them like typed ones. */
  runForKeys(...words: readonly (string | Uint8Array)[]): void {
    if (this.readOnly) return this.note(READ_ONLY);
    const client = new NamedClient(this.db, INSPECTOR_NAME, 0, this.active.connection.db);
    this.recordSelection(client);
    this.send(client, commandText(words), words);
    client.connection.close();
    this.afterChange();
  }

  /** Continues from a snapshot at its time, with the clock stopped and clients of the given names. */
  takeOver(snapshot: Uint8Array, nowMs: number, names: readonly string[]): void {
    this.clock.pause();
    this.clock.moveTo(nowMs);
    this.db.load(snapshot);
    this.keys.refill();
    for (const name of names.filter((name) => name !== '')) this.clientNamed(name);
    this.restartRecording();
    this.note(`The session continues here; the clock is stopped at ${isoText(nowMs)}.`);
    this.afterChange();
  }

  /** State for the next visit, without the keys. */
  state(): WorkspaceState {
    const clients = this.clients.map(({ name, connection }) => ({ name, db: connection.db }));
    const { recorded } = this.recording;
    return { clock: this.clock.state, clients, active: this.active.name, recorded, log: keptLog(this.log.entries) };
  }

  /** Continues from the state of another visit; the keys are there already. */
  restore({ clock, clients, active, recorded, log }: WorkspaceState): void {
    for (const { text } of recorded.settings) this.active.connection.callRaw(...splitLine(this.db, text));
    for (const { name, db } of clients) {
      const client = this.clientNamed(name);
      if (db !== 0) client.connection.callRaw('SELECT', String(db));
    }
    this.selectClient(this.clientNamed(active));
    this.recording.resume(recorded);
    this.log.restore(log);
    this.clock.restore(clock);
  }

  /** Loads other keys and goes on with the present clients. Returns the keys of before. */
  replaceKeys(keys: Uint8Array, what: string): Uint8Array {
    const before = this.db.snapshot();
    this.db.load(keys);
    this.keys.refill();
    this.note(`keys of ${what}`);
    this.restartRecording();
    this.afterChange();
    return before;
  }

  /** Begins anew with other keys, one client and the system's time. Returns the keys of before. */
  startFresh(keys: Uint8Array): Uint8Array {
    const before = this.db.snapshot();
    this.db.load(keys);
    this.keys.refill();
    for (const client of this.clients) client.connection.close();
    this.clients = [];
    this.active = this.openClient(FIRST_NAME);
    this.log.clear();
    this.recording = new Recording();
    this.clock.backToWallClock();
    return before;
  }

  /** Returns to keys and state of before. */
  bringBack(keys: Uint8Array, state: WorkspaceState): void {
    this.startFresh(keys);
    this.restore(state);
  }

  /** Refuses commands from now on: the keys are a copy. */
  makeReadOnly(): void {
    this.readOnly = true;
  }

  clearLog(): void {
    this.log.clear();
    this.restartRecording();
    this.changes.emit('log');
  }

  /** The text keeps its leading blanks until here: columns count them. */
  private run(line: string, client: NamedClient): LineProblem | undefined {
    const text = line.trim();
    if (text !== '' && this.readOnly) return { message: READ_ONLY, column: 1 };
    if (text === '' || this.runOwn(text)) return undefined;
    let words: Uint8Array[];
    try {
      words = splitLine(this.db, line.trimEnd());
    } catch (error) {
      if (error instanceof LineError) return { message: error.message, column: error.column };
      throw error;
    }
    this.send(client, text, words);
    return undefined;
  }

  /** Runs the page's own words: `clear`, `help`, and the clock lines of session files. */
  private runOwn(text: string): boolean {
    const [word = '', ...rest] = text.split(/\s+/);
    if (word.toLowerCase() === 'clear' && rest.length === 0) this.clearLog();
    else if (word.toLowerCase() === 'help') this.help(rest.join(' '));
    else if (word.startsWith('@')) this.moveClock(text);
    else return false;
    return true;
  }

  /** Opens a help card; without a topic, lists the words of the page. */
  private help(topic: string): void {
    const row = rowNamed(topic);
    if (row) this.log.add({ kind: 'card', row });
    else if (topic) this.note(`Unknown command ${topic}. The Commands view lists all commands.`);
    else
      this.note(
        'help SET shows the command. clear clears the log. @ +5s moves the clock, @ next moves it to the next expiry.',
      );
  }

  private moveClock(text: string): void {
    const line = readClockLine(text);
    if (line === undefined) return this.note('Expected @ +5s, @ -2m, @ next or @ 2026-01-01T00:00:00Z.');
    if (line === 'next') return this.stepToNextExpiry();
    if ('stepMs' in line) this.stepClock(line.stepMs);
    else this.moveClockTo(line.instantMs);
  }

  /** Moves the clock and logs it. */
  stepClock(ms: number): void {
    this.note(`clock ${stepText(ms)}`);
    this.clock.step(ms);
  }

  moveClockTo(instantMs: number): void {
    this.note(`clock ${isoText(instantMs)}`);
    this.clock.moveTo(instantMs);
  }

  stepToNextExpiry(): void {
    this.clock.sync();
    const due = this.db.nextExpiry();
    if (due === null) return this.note('Nothing is due: no key has an expiry.');
    this.note(`clock +${remainingText(due - this.clock.now())}, to the next expiry`);
    this.clock.moveTo(due);
  }

  private send(client: NamedClient, text: string, words: readonly (string | Uint8Array)[]): void {
    this.clock.sync();
    this.flushExpired();
    const prompt = client.prompt;
    const reply = client.call(words);
    if (client.changesSilently(words)) this.keys.refill();
    const failed = reply[0] === '-'.charCodeAt(0);
    const line = { prompt, text, printed: this.printed(reply), nowMs: this.clock.now() };
    const raw = isPrintedRaw(words) ? rawLines(reply) : undefined;
    this.log.add({ kind: 'command', lane: client.lane, ...line, raw, failed });
    // A line break inside quotes would end the line of a session.
    this.recording.add(client.name, /\s/.test(text.replaceAll(' ', '')) ? { ...line, text: commandText(words) } : line);
    this.flushExpired();
    this.deliver();
    if (this.recording.isLong) this.restartRecording();
  }

  /** Records the database of the inspector's client. In a recording all its commands are of one client. */
  private recordSelection({ prompt, connection }: NamedClient): void {
    if (connection.db === this.inspectedDatabase) return;
    this.inspectedDatabase = connection.db;
    const line = { prompt, text: `SELECT ${connection.db}`, printed: ['OK'], nowMs: this.clock.now() };
    this.recording.add(INSPECTOR_NAME, line);
  }

  /** Begins the recording anew from the present keys. */
  private restartRecording(): void {
    const state = this.clients.map(({ name, connection }) => {
      return { name, db: connection.db, inTransaction: connection.inTransaction };
    });
    const inspector = { name: INSPECTOR_NAME, db: this.inspectedDatabase, inTransaction: false };
    this.recording.restart(this.db, [...state, inspector], this.clock.now());
  }

  /** Logs messages and late replies of clients, and reconnects disconnected ones. */
  private deliver(): void {
    for (const client of this.clients) {
      const messages = client.takeOutbox();
      const line = { prompt: `${client.name}<`, text: '', printed: this.printed(messages), nowMs: this.clock.now() };
      if (messages.length > 0) {
        this.log.add({ kind: 'command', lane: client.lane, ...line, failed: false });
        for (const message of splitReplies(messages))
          this.recording.add(client.name, { ...line, printed: this.printed(message) });
      }
      if (!client.reconnect()) continue;
      this.recording.reconnected(client.name);
      this.note(`${client.name} was disconnected and has reconnected`);
    }
  }

  private printed(reply: Uint8Array): string[] {
    return reply.length === 0 ? [] : printReply(this.db, reply).split('\n');
  }

  private clientNamed(name: string | undefined): NamedClient {
    if (name === undefined) return this.active;
    const known = this.clients.find((client) => client.name === name);
    return known ?? (this.mayOpenClient ? this.openClient(name) : this.active);
  }

  private freeName(): string {
    let number = this.clients.length + 1;
    while (this.clients.some((client) => client.name === `C${number}`)) number += 1;
    return `C${number}`;
  }

  private freeLane(): number {
    let lane = 1;
    while (this.clients.some((client) => client.lane === lane)) lane += 1;
    return lane;
  }

  private noteEvent(event: KeyEvent<Uint8Array>): void {
    this.keys.noteEvent(event);
    if (event.event === 'expired') this.expired.push(keyLabel(event.key));
  }

  /** Logs expired keys as one entry, however many there are. */
  private flushExpired(): void {
    const [first] = this.expired;
    if (first === undefined) return;
    const count = this.expired.length;
    this.note(count === 1 ? `${first} expired` : `${first} and ${count - 1} more expired`);
    this.expired = [];
  }

  private note(text: string): void {
    this.log.add({ kind: 'note', text });
  }

  /** Called after every change of keys, clients or time: arms the timer and repaints the page. */
  private afterChange(): void {
    this.flushExpired();
    this.deliver();
    this.clock.arm();
    this.changes.emit('log');
    this.changes.emit('clients');
    this.refreshKeys();
  }

  private refreshKeys(): void {
    this.keys.refresh(this.active.connection.db, this.clock.now());
    this.changes.emit('keys');
  }
}
