/**
 * State of the command line: one engine, its clock, its clients, and the log. Components render from it and call its
 * methods.
 */

import type { Keylatch, KeyEvent } from 'keylatch/core';
import { printReply, splitLine, splitReplies } from 'keylatch/hints';
import { type Address, addressedLine, FIRST_NAME } from '../text/addressed-line.ts';
import { isoText } from '../text/durations.ts';
import { isPrintedRaw, rawLines } from '../text/output.ts';
import { type PastedCommand, pastedCommands } from '../text/paste.ts';
import { Witness } from '../why/witness.ts';
import type { SpokenLine } from '../recording/transcript.ts';
import { keptLogOf } from './cleared-log.ts';
import { applySettings, aroundClients, connectedAgain, endTexts, recordedClient } from './kept-clients.ts';
import { commandNames } from '../commands/command-names.ts';
import { commandRows } from '../commands/commands.ts';
import { Emitter } from '../base/emitter.ts';
import type { Engine, EngineMaker } from '../engine/engine.ts';
import { LuaSwitch, missingLua } from '../engine/lua.ts';
import { History } from '../prompt/history.ts';
import { LineEditor } from '../prompt/line-editor.ts';
import { Log } from './log.ts';
import { PageClock } from '../clock/page-clock.ts';
import { commandText } from '../keys/key-edit.ts';
import { keyLabel } from '../keys/key-label.ts';
import { KeyList } from '../keys/key-list.ts';
import { crowd, freeLane, freeName, MAX_CLIENTS, NamedClient } from './named-client.ts';
import { runPageWord } from './page-words.ts';
import { type PastedResult, Pasting } from './pasting.ts';
import { receivedBy } from '../resp/received.ts';
import { type Moment, Recording } from '../recording/recording.ts';
import { Tour } from './tour.ts';
import { type LineProblem, typedCommand } from '../prompt/typed-command.ts';
import { keptLog, type WorkspaceState } from './workspace-state.ts';

export type WorkspaceTopic = 'log' | 'clients' | 'keys' | 'cleared' | 'ran';

/** Client name of the buttons in the key list. */
export const INSPECTOR_NAME = 'keys';
const READ_ONLY = 'Another tab has these keys. Take over to type here.';

const refusal = (message: string): LineProblem => ({ message, column: 0 });

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
  /** Called before a line runs, while an earlier moment is shown. */
  past: (() => void) | undefined;
  /** Undoes the last clearing of the log; undefined when that is not possible. */
  bringLogBack: (() => void) | undefined;
  private expired: string[] = [];
  private readonly witness: Witness;
  private readonly lua: LuaSwitch;
  /** False while the keys are a copy: commands are refused. */
  mayWrite = true;
  readonly pasting = new Pasting();

  constructor(
    { db, clock }: Engine,
    readonly maker: EngineMaker,
  ) {
    this.db = db;
    this.clock = new PageClock(clock, () => db.nextExpiry());
    this.keys = new KeyList(db);
    this.witness = new Witness(db, this.clock, this.keys);
    this.lua = new LuaSwitch(db, maker);
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

  /** True if neither keys nor a log would be lost. */
  get isEmpty(): boolean {
    return this.isFresh && this.log.entries.length === 0 && !this.keys.hasAny;
  }

  openClient(name = freeName(this.clients)): NamedClient {
    const client = new NamedClient(this.db, name, freeLane(this.clients));
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

  /** Loads Lua before a text that needs it. Resolves to the reason why it cannot run. Undefined: the text can run at once. */
  prepare(text: string): Promise<string | undefined> | undefined {
    const loading = this.mayWrite ? this.lua.prepare(text) : undefined;
    return loading?.then((compact) => this.moveToLua(compact)).catch(missingLua);
  }

  private moveToLua(compact: () => void): undefined {
    aroundClients(this.db, this.clients, compact);
    this.note('This engine runs Lua from here on.');
    this.changes.emit('log');
  }

  /** Puts a line into the prompt, from where it can be run. */
  offerLine(text: string): void {
    this.line.replace(text);
    this.changes.emit('clients');
  }

  /** Runs a typed line, as the client that it names; one that cannot be parsed is not run but returned as a problem. */
  runLine(text: string): LineProblem | undefined {
    this.tour.follow(text.trim());
    if (text.trim() !== '' && this.mayWrite) this.past?.();
    const line = addressedLine(text);
    const problem = this.runFor(line, line.command);
    this.afterChange();
    return problem && { ...problem, column: problem.column && problem.column + line.skipped };
  }

  /** Runs a pasted text command by command, each as the client of its prompt, up to the first that cannot be parsed. */
  async runPasted(text: string): Promise<LineProblem | undefined> {
    const commands = pastedCommands(text, commandNames);
    const crowded = crowd(this.clients, commands);
    if (crowded) return refusal(crowded);
    if (commands.length > 0 && this.mayWrite) this.past?.();
    const run = (command: PastedCommand): PastedResult<LineProblem> => {
      const before = this.log.last;
      const problem = this.runFor(command, command.text);
      return { problem, entry: this.log.last === before ? undefined : this.log.last };
    };
    const { problem, summary } = await this.pasting.run(commands, run, () => this.afterChange());
    if (summary !== undefined) this.note(summary);
    this.afterChange();
    return problem;
  }

  /** Runs words as a client of the inspector that exists only for this command, and logs them like typed ones. */
  runForKeys(...words: readonly (string | Uint8Array)[]): void {
    if (!this.mayWrite) return this.note(READ_ONLY);
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
    this.loadKeys(snapshot);
    for (const name of names.filter((name) => name !== '')) this.clientNamed(name);
    this.renewRecording('begin');
    this.note(`The session continues here; the clock is stopped at ${isoText(nowMs)}.`);
    this.afterChange();
  }

  /** State for the next visit, without the keys. */
  state(): WorkspaceState {
    const clients = this.clients.map((client) => client.kept);
    const recorded = this.recording.forNextVisit(this.moment(clients.map(recordedClient)));
    return { clock: this.clock.state, clients, active: this.active.name, recorded, log: keptLog(this.log.entries) };
  }

  /** Continues from the state of another visit; the keys are there already. */
  restore({ clock, clients, active, recorded, log }: WorkspaceState): void {
    for (const client of this.clients) client.connection.close();
    this.clients = connectedAgain(this.db, clients);
    this.active = this.clients.find(({ name }) => name === active) ?? this.openClient(FIRST_NAME);
    applySettings(this.db, recorded);
    this.recording.resume(recorded);
    this.log.restore(log);
    for (const text of clients.flatMap(endTexts)) this.note(text);
    this.clock.restore(clock);
    void this.prepare(recorded.lines.map(({ text }) => text).join('\n'));
    this.afterChange();
  }

  /** Replaces the keys. Returns those of before. */
  private loadKeys(keys: Uint8Array): Uint8Array {
    const before = this.db.snapshot();
    this.db.load(keys);
    this.keys.refill();
    this.witness.reset();
    return before;
  }

  /** Loads other keys and goes on with the present clients. Returns the keys of before. */
  replaceKeys(keys: Uint8Array, what: string): Uint8Array {
    const before = this.loadKeys(keys);
    this.note(`keys of ${what}`);
    this.renewRecording('begin');
    this.afterChange();
    return before;
  }

  /** Begins anew with other keys, one client and the system's time. Returns the keys of before. */
  startFresh(keys: Uint8Array): Uint8Array {
    const before = this.loadKeys(keys);
    for (const client of this.clients) client.connection.close();
    this.clients = [];
    this.active = this.openClient(FIRST_NAME);
    this.log.clear();
    this.recording = new Recording();
    this.bringLogBack = undefined;
    this.clock.backToWallClock();
    return before;
  }

  /** Runs a recorded line at its time, as the client of a name. */
  runAgain(name: string, { text, nowMs }: SpokenLine): void {
    this.clock.moveTo(nowMs);
    this.send(this.clientNamed(name), text, splitLine(this.db, text));
  }

  /** Returns to keys and state of before. */
  bringBack(keys: Uint8Array, state: WorkspaceState): void {
    this.startFresh(keys);
    this.restore(state);
  }

  clearLog(): void {
    const isEmpty = this.log.entries.length === 0;
    const bringBack = keptLogOf(this.log, this.recording);
    this.log.clear();
    this.renewRecording('restart');
    if (!isEmpty) this.bringLogBack = bringBack;
    this.changes.emit('log');
    this.changes.emit('cleared');
  }

  /** Runs a line as the client, and in the database, that its prompt names. */
  private runFor(address: Address, line: string): LineProblem | undefined {
    if (line.trim() !== '' && !this.mayWrite) return refusal(READ_ONLY);
    const crowded = crowd(this.clients, [address]);
    if (crowded) return refusal(crowded);
    const { database } = address;
    const client = this.clientNamed(address.client);
    if (database === undefined || this.select(client, database)) return this.run(line, client);
    return refusal(`${client.name} cannot select database ${database}. The command was not run.`);
  }

  /** Selects a database, where a transaction does not forbid it. */
  private select(client: NamedClient, database: number): boolean {
    const isThere = (): boolean => client.connection.db === database;
    if (isThere() || client.connection.inTransaction) return true;
    this.run(`SELECT ${database}`, client);
    return isThere();
  }

  /** The text keeps its leading blanks until here: columns count them. */
  private run(line: string, client: NamedClient): LineProblem | undefined {
    const text = line.trim();
    if (text === '' || runPageWord(this, text)) return undefined;
    const typed = typedCommand(this.db, line);
    if ('message' in typed) return typed;
    for (let left = typed.times; left > 0; left -= 1) this.send(client, typed.text, typed.words);
    return undefined;
  }

  private send(client: NamedClient, text: string, words: readonly (string | Uint8Array)[]): void {
    this.clock.sync();
    this.flushExpired();
    const prompt = client.prompt;
    this.witness.begin(client.name);
    const reply = client.call(words);
    const isSilent = client.changesSilently(words);
    if (isSilent) this.keys.refill();
    const circumstances = this.witness.end(client, words, { reply, isSilent });
    const failed = reply[0] === '-'.charCodeAt(0);
    const line = { prompt, text, printed: this.printed(reply), nowMs: this.clock.now() };
    const raw = isPrintedRaw(words) ? rawLines(reply) : undefined;
    const received = receivedBy(client.connection, reply);
    const recordedAt = this.recording.next;
    this.log.add({ kind: 'command', lane: client.lane, ...line, raw, failed, circumstances, received, recordedAt });
    // A line break inside quotes would end the line of a session.
    this.changes.emit('ran');
    this.recording.add(client.name, /\s/.test(text.replaceAll(' ', '')) ? { ...line, text: commandText(words) } : line);
    this.flushExpired();
    this.deliver();
    if (this.recording.isLong) this.renewRecording('restart');
  }

  /** Records the database of the inspector's client. In a recording all its commands are of one client. */
  private recordSelection({ prompt, connection }: NamedClient): void {
    if (connection.db === this.inspectedDatabase) return;
    this.inspectedDatabase = connection.db;
    const line = { prompt, text: `SELECT ${connection.db}`, printed: ['OK'], nowMs: this.clock.now() };
    this.recording.add(INSPECTOR_NAME, line);
  }

  /** Begins the recording anew from the present keys. */
  private renewRecording(how: 'begin' | 'restart'): void {
    this.bringLogBack = undefined;
    this.recording[how](this.moment());
  }

  private moment(clients = this.clients.map(({ recorded }) => recorded)): Moment {
    const inspector = { name: INSPECTOR_NAME, db: this.inspectedDatabase, inTransaction: false };
    return { db: this.db, clients: [...clients, inspector], nowMs: this.clock.now() };
  }

  /** Logs messages and late replies of clients, and reconnects disconnected ones. */
  private deliver(): void {
    for (const client of this.clients) {
      const messages = client.takeOutbox();
      const line = { prompt: `${client.name}<`, text: '', printed: this.printed(messages), nowMs: this.clock.now() };
      if (messages.length > 0) {
        const received = receivedBy(client.connection, messages);
        const recordedAt = this.recording.next;
        this.log.add({ kind: 'command', lane: client.lane, ...line, failed: false, received, recordedAt });
        for (const message of splitReplies(messages))
          this.recording.add(client.name, { ...line, printed: this.printed(message) });
      }
      if (!client.reconnect()) continue;
      this.recording.reconnected(client.name);
      this.witness.forget(client.name);
      this.note(`${client.name} was disconnected and has reconnected`);
    }
  }

  private printed(reply: Uint8Array): string[] {
    return reply.length === 0 ? [] : printReply(this.db, reply).split('\n');
  }

  private clientNamed(name: string | undefined): NamedClient {
    if (name === undefined) return this.active;
    return this.clients.find((client) => client.name === name) ?? this.openClient(name);
  }

  private noteEvent(event: KeyEvent<Uint8Array>): void {
    this.keys.noteEvent(event);
    this.witness.noteEvent(event);
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

  /** Logs a sentence of the page. */
  note(text: string): void {
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
