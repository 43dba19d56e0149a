// A server with scripts and without LATCH commands: keylatch-scripting behind a client object of ioredis' form, with time in hand.
import { EventEmitter } from 'node:events';
import { FakePage, HandTime } from './hand-time.mjs';
import { AskedCoordination, Locks } from './locks.mjs';
import { scripting } from './package.mjs';
import { source } from './source.mjs';

const { Keylatch, ManualClock } = await scripting('index');
export const { LATCH_SCRIPT } = await source('locks/generated/latch-script.ts');
export const { scriptKeys, taskKeys } = await source('locks/script-keys.ts');

/** A client object of an engine. Notes commands, and loses messages, replies or itself when the test says so. */
export class ScriptClient extends EventEmitter {
  log = [];
  isDeaf = false;
  isDead = false;
  /** Errors that the next commands end with after they ran, as when replies are lost. */
  lost = [];

  constructor(db) {
    super();
    this.db = db;
  }

  call = async (name, ...args) => {
    // Nothing is heard of a process that has died.
    if (this.isDead) return new Promise(() => {});
    this.log.push([name, ...args]);
    if (name.startsWith('LATCH.')) throw new Error(`ERR unknown command '${name}'`);
    const reply = this.execute([name, ...args]);
    if (this.lost.length > 0) throw new Error(this.lost.shift());
    return reply;
  };

  execute(argv) {
    return this.db.call(...argv);
  }

  /** Passes a message on. */
  deliver = (text, emit) => emit(text);

  subscribe() {
    throw new Error('this connection is for commands');
  }

  duplicate() {
    const other = new EventEmitter();
    let unsubscribe = () => {};
    other.call = this.call;
    other.subscribe = async (channel) => {
      unsubscribe();
      unsubscribe = this.db.subscribe(channel, (text) => {
        if (!this.isDeaf && !this.isDead) this.deliver(text, (given) => other.emit('message', channel, given));
      });
    };
    other.disconnect = () => unsubscribe();
    this.subscriber = other;
    return other;
  }

  /** Operations of the script that ran since the last call. */
  operations() {
    const scripts = this.log.splice(0).filter(([name]) => name === 'EVALSHA');
    return scripts.map((argv) => argv[3 + Number(argv[2])]);
  }
}

/** An engine with Lua, its time, and locks over it, each with a client of its own. */
export function setUpScripts() {
  const clock = new ManualClock();
  const db = new Keylatch({ clock });
  const time = new HandTime(clock);
  const open = (options = {}, canReceive = true) => {
    const client = new ScriptClient(db);
    if (!canReceive) client.duplicate = undefined;
    const locks = new Locks(new AskedCoordination(client, time), options, { time, page: new FakePage() });
    return { client, locks };
  };
  /** Runs an operation of the script by itself. */
  const run = (name, ...argv) => db.call('EVAL', LATCH_SCRIPT, '6', ...taskKeys(name), ...argv.map(String));
  /** Runs an operation on several names, those above the others last. */
  const runAt = (names, ...argv) => {
    const keys = names.flatMap(scriptKeys);
    return db.call('EVAL', LATCH_SCRIPT, String(keys.length), ...keys, ...argv.map(String));
  };
  return { clock, db, time, open, run, runAt };
}
