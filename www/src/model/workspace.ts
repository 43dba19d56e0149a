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
import { pastedCommands } from '../text/paste.ts';
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
import { Tour } from './tour.ts';

export type WorkspaceTopic = 'log' | 'clients' | 'keys';

/** Reason why a line was not run, and its column: columns count characters, from 1. */
export interface LineProblem {
  readonly message: string;
  readonly column: number;
}

/** Client name of the buttons in the key list. */
const INSPECTOR_NAME = 'keys';
const MAX_CLIENTS = 8;

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
  private expired: string[] = [];

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
  runPasted(text: string): LineProblem | undefined {
    const commands = pastedCommands(text);
    const failures: string[] = [];
    let problem: LineProblem | undefined;
    for (const command of commands) {
      const before = this.log.commands.length;
      problem = this.run(command.text, this.clientNamed(command.client));
      const last = this.log.commands.at(-1);
      if (this.log.commands.length > before && last?.failed) failures.push(last.text);
      if (problem) break;
    }
    if (commands.length > 1) this.notePaste(commands.length, failures);
    this.afterChange();
    return problem;
  }

  /** Runs words as a client of the inspector that exists only for this command, and logs them like typed ones. */
  runForKeys(...words: readonly (string | Uint8Array)[]): void {
    const client = new NamedClient(this.db, INSPECTOR_NAME, 0, this.active.connection.db);
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
    this.note(`The session continues here; the clock is stopped at ${isoText(nowMs)}.`);
    this.afterChange();
  }

  clearLog(): void {
    this.log.clear();
    this.changes.emit('log');
  }

  /** The text keeps its leading blanks until here: columns count them. */
  private run(line: string, client: NamedClient): LineProblem | undefined {
    const text = line.trim();
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
    this.log.add({
      kind: 'command',
      lane: client.lane,
      prompt,
      text,
      printed: this.printed(reply),
      raw: isPrintedRaw(words) ? rawLines(reply) : undefined,
      failed,
      nowMs: this.clock.now(),
    });
    this.flushExpired();
    this.deliver();
  }

  /** Logs messages and late replies of clients, and reconnects disconnected ones. */
  private deliver(): void {
    for (const client of this.clients) {
      const messages = client.takeOutbox();
      const entry = {
        kind: 'command',
        lane: client.lane,
        prompt: `${client.name}<`,
        text: '',
        failed: false,
      } as const;
      if (messages.length > 0) this.log.add({ ...entry, printed: this.printed(messages), nowMs: this.clock.now() });
      if (client.reconnect()) this.note(`${client.name} was disconnected and has reconnected`);
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

  private notePaste(count: number, failures: readonly string[]): void {
    const first = failures[0];
    this.note(
      first === undefined
        ? `${count} lines ran`
        : `${count} lines, ${failures.length} answered with an error; the first: ${first}`,
    );
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
