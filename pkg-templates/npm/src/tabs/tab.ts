/** One tab among those of a name: it asks which tab leads, waits for the lock to lead itself, and passes messages. */
import { Keylatch } from '../db/built-in.js';
import { databaseName } from '../persist/names.js';
import { acquire, type HeldLock } from '../persist/web-lock.js';
import { Calls, LEADERLESS_MS, type Destination } from './calls.js';
import type { Channel, Environment } from './environment.js';
import type { Reach } from './leader.js';
import { Leadership, type Opened } from './leadership.js';
import { Outbox } from './outbox.js';
import type { Role } from './role.js';
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

const { ClosedError } = Keylatch.parts.errors;

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
  #role: Role = 'follower';
  /** Greatest epoch that was seen, the last one with a leader that is ready, and the last with one that resigned. */
  #epoch = 0;
  #readyEpoch = 0;
  #resignedEpoch = 0;
  #isAway = false;
  /** Failure of the store at the end of the last leadership. */
  #lastFailure: { readonly error: unknown } | undefined;
  #isForeign = false;
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
    return this.#role;
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
    return this.#epoch === this.#resignedEpoch;
  }

  /** Refuses calls that cannot be sent. */
  refuse(): void {
    if (this.#role === 'closed') throw new ClosedError('engine');
    if (this.#isForeign) throw new TabsError('OTHER_VERSION');
  }

  /**
   * Leaves the tabs. A leader closes the store first, so that another one finds all that was acknowledged; rejects if that
   * could not be written.
   */
  async close(): Promise<void> {
    if (this.#role === 'closed') return;
    this.#setRole('closed');
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
    while (this.#role !== 'closed' && !this.#isAway) {
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
      if (this.#isClosed()) this.#lastFailure = failure;
      // Another tab may be luckier, or the next attempt.
      else await pause(RETRY_MS);
    }
  }

  #isClosed(): boolean {
    return this.#role === 'closed';
  }

  async #lead(): Promise<void> {
    // Greater than all before, also where the clock was set back meanwhile.
    const epoch = Math.max(this.#epoch + 1, Date.now());
    const leadership = new Leadership(epoch, this.#reach(epoch), this.#environment.isHidden);
    this.#leadership = leadership;
    this.#last = leadership;
    this.#isForeign = false;
    this.#watches = new AbortController();
    this.#follow(epoch, { epoch, send: (id, request) => leadership.run(this.id, id, request) });
    this.#declare();
    if (this.#role === 'closed' || this.#isAway) leadership.resign();
    try {
      await leadership.hold(this.#openStore, () => (leadership.isReady ? this.#begin(epoch) : this.#resigned(epoch)));
    } catch (error) {
      this.#resigned(epoch);
      throw error;
    } finally {
      this.#leadership = undefined;
      this.#watches.abort();
    }
  }

  #begin(epoch: number): void {
    this.#setRole('leader');
    this.#declare();
    this.#ready(epoch);
  }

  #resigned(epoch: number): void {
    if (this.#resignedEpoch === epoch) return;
    this.#resignedEpoch = epoch;
    this.calls.leaderless();
    this.#announce({ kind: 'resigned', from: this.id, version: VERSION, epoch });
    if (this.#role !== 'closed') this.#setRole('follower');
  }

  /** Announces the leadership of this tab, also as the answer to a new tab. */
  #declare(): void {
    const { epoch, isReady } = this.#leadership as Leadership;
    if (this.#resignedEpoch === epoch) return;
    this.#announce({ kind: 'leads', from: this.id, version: VERSION, epoch, isReady });
  }

  #heard(message: RoomMessage): void {
    if (message.kind === 'hello') {
      if (this.#leadership !== undefined) this.#declare();
    } else if (message.version !== VERSION) this.#meetForeigner(message);
    else if (message.kind === 'resigned') this.#lost(message.epoch);
    else if (message.epoch >= this.#epoch && message.epoch !== this.#resignedEpoch) {
      this.#isForeign = false;
      const { epoch, from } = message;
      if (epoch > this.#epoch) this.#follow(epoch, this.#destination(from, epoch));
      if (message.isReady) this.#ready(epoch);
      this.#joining?.resolve();
    }
  }

  #meetForeigner({ kind }: RoomMessage): void {
    this.#isForeign = kind === 'leads';
    if (!this.#isForeign) return;
    this.calls.leaderless();
    this.#joining?.reject(new TabsError('OTHER_VERSION'));
    this.calls.fail((mayHaveRun) => new TabsError('OTHER_VERSION', mayHaveRun));
  }

  #lost(epoch: number): void {
    if (epoch !== this.#epoch) return;
    this.#resignedEpoch = epoch;
    this.calls.leaderless();
  }

  #follow(epoch: number, destination: Destination): void {
    this.#epoch = epoch;
    this.calls.led(destination);
  }

  #ready(epoch: number): void {
    if (this.#readyEpoch === epoch) return;
    this.#readyEpoch = epoch;
    this.#joining?.resolve();
    this.#listener.led();
  }

  #received(message: Piece): void {
    if (message.version !== VERSION) return;
    if (message.kind === 'call') return this.#called(message);
    // Answers of a former leader count until its calls are settled.
    if (message.kind === 'answer') return this.calls.answered(message.epoch, message.id, message.outcome);
    if (message.epoch !== this.#epoch) return;
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
    this.#isAway = true;
    this.#waiting.abort();
    this.#leadership?.resign(true);
  }

  #return(): void {
    if (!this.#isAway || this.#role === 'closed') return;
    this.#isAway = false;
    this.#waiting = new AbortController();
    this.#campaign = this.#campaign.then(() => this.#run());
    this.greet();
  }

  #setRole(role: Role): void {
    if (this.#role === role) return;
    this.#role = role;
    this.#listener.roleChanged(role);
  }
}
