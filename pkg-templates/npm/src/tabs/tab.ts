/** One tab among those of a name: it asks which tab leads, waits for the lock to lead itself, and passes messages. */
import { ClosedError } from '../base/errors.js';
import { databaseName } from '../persist/names.js';
import { acquire, type HeldLock } from '../persist/web-lock.js';
import { Calls, LEADERLESS_MS, type Destination } from './calls.js';
import type { Channel, Environment } from './environment.js';
import type { Reach } from './leader.js';
import { Leadership, type Opened } from './leadership.js';
import { Outbox } from './outbox.js';
import type { Role } from './role.js';
import { after, ALONE, hasBegun, isNewLeader, roleOf, type TabEvent, type TabState } from './tab-state.js';
import { TabsError } from './tabs-error.js';
import {
  inboxName,
  roomName,
  tabLockName,
  VERSION,
  type Call,
  type Happened,
  type InboxMessage,
  type Piece,
  type Push,
  type RoomMessage,
} from './wire.js';

/** Callbacks of a tab. */
export interface TabListener {
  /** A leader began to run calls: state that a former one held is gone. */
  led(): void;
  pushed(push: Push): void;
  happened(event: Happened): void;
  roleChanged(role: Role): void;
}

/** Pause between attempts to open a store that cannot be opened. */
const RETRY_MS = 1000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class Tab {
  readonly id: string = crypto.randomUUID();
  readonly calls = new Calls();
  readonly #name: string;
  readonly #environment: Environment;
  readonly #openStore: () => Promise<Opened>;
  readonly #listener: TabListener;
  readonly #room: Channel;
  readonly #inbox: Channel;
  readonly #outbox: Outbox;
  #ownLock: HeldLock | undefined;
  #unwatch = (): void => {};
  #waiting = new AbortController();
  #watches = new AbortController();
  #leadership: Leadership | undefined;
  /** The last leadership, which refuses calls that come too late. */
  #last: Leadership | undefined;
  #campaign: Promise<void> = Promise.resolve();
  #state = ALONE;
  /** Failure of the store at the end of the last leadership. */
  #lastFailure: { readonly error: unknown } | undefined;
  #joining: { resolve(): void; reject(error: unknown): void } | undefined;

  constructor(name: string, environment: Environment, openStore: () => Promise<Opened>, listener: TabListener) {
    this.#name = name;
    this.#environment = environment;
    this.#openStore = openStore;
    this.#listener = listener;
    this.#room = environment.channel(roomName(name));
    this.#inbox = environment.channel(inboxName(name, this.id));
    this.#outbox = new Outbox(this.id, (tab) => environment.channel(inboxName(name, tab)));
  }

  get role(): Role {
    return roleOf(this.#state);
  }

  /** Resolves when the leader is known, at the latest after a second. Rejects if this tab leads and has no store. */
  async start(): Promise<void> {
    // Messages are received before anything is asked, and before the lock is waited for: none is missed.
    this.#room.onmessage = ({ data }) => this.#heard(data as RoomMessage);
    this.#inbox.onmessage = ({ data }) => {
      const message = data as InboxMessage;
      if (message.kind !== 'batch') this.#received(message);
      else for (const piece of message.pieces) this.#received(piece);
    };
    this.#ownLock = await acquire(this.#environment.locks, tabLockName(this.#name, this.id));
    const life = { leaving: () => this.#leave(), returned: () => this.#return() };
    this.#unwatch = this.#environment.watch(life);
    const settled = new Promise<void>((resolve, reject) => {
      this.#joining = { resolve, reject };
      setTimeout(resolve, LEADERLESS_MS);
    });
    this.greet();
    this.#campaign = this.#run();
    try {
      await settled;
    } catch (error) {
      await this.close().catch(() => {});
      throw error;
    }
  }

  /** Asks which tab leads: an announcement may have been lost. */
  greet(): void {
    if (this.#leadership === undefined) this.#announce({ kind: 'hello', from: this.id, version: VERSION });
  }

  /** True while no tab leads, as far as this one knows. */
  get isLeaderless(): boolean {
    return this.#state.leader.kind === 'none';
  }

  /** Refuses calls that cannot be sent. */
  refuse(): void {
    if (this.role === 'closed') throw new ClosedError('engine');
    if (this.#state.leader.kind === 'foreign') throw new TabsError('OTHER_VERSION');
  }

  /**
   * Leaves the tabs. A leader closes the store first, so that another one finds all that was acknowledged; rejects if that
   * could not be written.
   */
  async close(): Promise<void> {
    if (this.role === 'closed') return;
    this.#change({ kind: 'closed' });
    this.#unwatch();
    this.#waiting.abort();
    this.#leadership?.resign();
    await this.#campaign;
    this.calls.fail(() => new ClosedError('engine'));
    this.#ownLock?.release();
    this.#room.close();
    // Calls that are on their way are refused meanwhile, so that their tabs know that they did not run.
    setTimeout(() => this.#closeChannels(), LEADERLESS_MS);
    if (this.#lastFailure !== undefined) throw this.#lastFailure.error;
  }

  #closeChannels(): void {
    this.#inbox.close();
    this.#outbox.close();
  }

  /** Leads again and again, until the tab is closed. */
  async #run(): Promise<void> {
    while (this.#state.place === 'waiting') {
      const { signal } = this.#waiting;
      const lock = await acquire(this.#environment.locks, databaseName(this.#name), signal).catch(() => undefined);
      if (lock === undefined) return;
      const failure = await this.#lead().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      lock.release();
      if (failure === undefined) continue;
      this.#joining?.reject(failure.error);
      this.calls.fail(() => failure.error);
      if (this.role === 'closed') this.#lastFailure = failure;
      // Another tab may be luckier, or the next attempt.
      else await pause(RETRY_MS);
    }
  }

  async #lead(): Promise<void> {
    // Greater than all before, also where the clock was set back meanwhile.
    const epoch = Math.max(this.#state.leader.epoch + 1, Date.now());
    const leadership = new Leadership(epoch, this.#reach(epoch), this.#environment.isHidden);
    this.#leadership = leadership;
    this.#last = leadership;
    this.#watches = new AbortController();
    this.#change({ kind: 'acquired', epoch });
    this.calls.led({ epoch, send: (id, request) => leadership.run(this.id, id, request) });
    this.#declare();
    if (this.#state.place !== 'opening') leadership.resign();
    try {
      await leadership.hold(this.#openStore, () => (leadership.isReady ? this.#begin(epoch) : this.#ended(epoch)));
    } catch (error) {
      this.#ended(epoch);
      throw error;
    } finally {
      this.#leadership = undefined;
      this.#watches.abort();
    }
  }

  #begin(epoch: number): void {
    const before = this.#state.leader;
    this.#change({ kind: 'opened', epoch });
    this.#declare();
    if (hasBegun(before, this.#state.leader)) this.#begun();
  }

  /** Announces the end of the leadership of this tab, once. */
  #ended(epoch: number): void {
    if (this.#state.leader.resignedEpoch >= epoch) return;
    const before = this.#state;
    this.#state = after(before, { kind: 'ended', epoch });
    if (before.leader.epoch === epoch) this.calls.leaderless();
    this.#announce({ kind: 'resigned', from: this.id, version: VERSION, epoch });
    this.#changed(before);
  }

  /** Announces the leadership of this tab, also as the answer to a new tab. */
  #declare(): void {
    const { epoch, isReady } = this.#leadership as Leadership;
    if (this.#state.leader.resignedEpoch >= epoch) return;
    this.#announce({ kind: 'leads', from: this.id, version: VERSION, epoch, isReady });
  }

  #heard(message: RoomMessage): void {
    if (message.kind === 'hello') {
      if (this.#leadership !== undefined) this.#declare();
    } else if (message.version !== VERSION) this.#meetForeigner(message);
    else if (message.kind === 'resigned') this.#lost(message.epoch);
    else this.#met(message);
  }

  #meetForeigner({ kind }: RoomMessage): void {
    const before = this.#state.leader;
    this.#change({ kind: 'foreign', leads: kind === 'leads' });
    if (kind !== 'leads' || this.#state.leader === before) return;
    this.calls.leaderless();
    this.#joining?.reject(new TabsError('OTHER_VERSION'));
    this.calls.fail((mayHaveRun) => new TabsError('OTHER_VERSION', mayHaveRun));
  }

  #lost(epoch: number): void {
    if (epoch !== this.#state.leader.epoch) return;
    this.#change({ kind: 'resigned', epoch });
    this.calls.leaderless();
  }

  /** Follows a leader, unless it is one of the past. */
  #met({ from, epoch, isReady }: Extract<RoomMessage, { kind: 'leads' }>): void {
    const before = this.#state.leader;
    this.#change({ kind: 'leads', epoch, isReady });
    const now = this.#state.leader;
    if (now === before) return;
    if (isNewLeader(before, now)) this.calls.led(this.#destination(from, epoch));
    if (hasBegun(before, now)) this.#begun();
    this.#joining?.resolve();
  }

  #begun(): void {
    this.#joining?.resolve();
    this.#listener.led();
  }

  #received(message: Piece): void {
    if (message.version !== VERSION) return;
    if (message.kind === 'call') return this.#called(message);
    // Answers of a former leader count until its calls are settled.
    if (message.kind === 'answer') return this.calls.answered(message.epoch, message.id, message.outcome);
    if (message.epoch !== this.#state.leader.epoch) return;
    if (message.kind === 'push') this.#listener.pushed(message);
    else this.#listener.happened(message);
  }

  #called({ from, epoch, id, request }: Call): void {
    if (this.#last?.epoch === epoch) this.#last.run(from, id, request);
  }

  #destination(tab: string, epoch: number): Destination {
    return {
      epoch,
      send: (id, request) =>
        this.#outbox.send(tab, { kind: 'call', from: this.id, version: VERSION, epoch, id, request }),
    };
  }

  /** The way to tabs in one leadership. This tab itself needs no channel. */
  #reach(epoch: number): Reach {
    const sent = { from: this.id, version: VERSION, epoch };
    const send = (tab: string, piece: Piece): void => {
      if (tab === this.id) this.#received(piece);
      else this.#outbox.send(tab, piece);
    };
    return {
      answer: (tab, id, outcome) => send(tab, { ...sent, kind: 'answer', id, outcome }),
      push: (tab, client, bytes) => send(tab, { ...sent, kind: 'push', client, bytes }),
      event: (tab, { event, key, db }) => send(tab, { ...sent, kind: 'event', event, key, db }),
      watch: (tab, gone) => this.#watch(tab, gone),
      broken: () => this.#leadership?.resign(),
    };
  }

  /** Waits for the lock that the other tab holds as long as it lives. */
  #watch(tab: string, gone: () => void): void {
    if (tab === this.id) return;
    const ended = ({ release }: HeldLock): void => {
      release();
      gone();
      this.#outbox.drop(tab);
    };
    acquire(this.#environment.locks, tabLockName(this.#name, tab), this.#watches.signal).then(ended, () => {});
  }

  #announce(message: RoomMessage): void {
    this.#room.postMessage(message);
  }

  /** A page that is frozen would hold the lock without answering. */
  #leave(): void {
    this.#change({ kind: 'left' });
    this.#waiting.abort();
    this.#leadership?.resign(true);
  }

  #return(): void {
    const { place } = this.#state;
    this.#change({ kind: 'returned' });
    if (this.#state.place === place) return;
    this.#waiting = new AbortController();
    this.#campaign = this.#campaign.then(() => this.#run());
    this.greet();
  }

  #change(event: TabEvent): void {
    const before = this.#state;
    this.#state = after(before, event);
    this.#changed(before);
  }

  #changed(before: TabState): void {
    if (roleOf(before) !== this.role) this.#listener.roleChanged(this.role);
  }
}
