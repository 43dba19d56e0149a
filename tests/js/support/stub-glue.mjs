// A stand-in for the engine's bindings: returns results that a test prepared, and records the calls.

import { readFileSync } from 'node:fs';

const convention = JSON.parse(
  readFileSync(new URL('../../../target/generated/convention.json', import.meta.url), 'utf8'),
);
const NAMES = Object.fromEntries(convention.rows.map(({ number, name }) => [number, name]));

/** Results of the next instance; tests replace these. */
export const script = {
  reply: () => '+OK\r\n',
  events: [],
  deadline: undefined,
  calls: [],
  affected: undefined,
  outbox: '',
  convention: undefined,
};

export function reset() {
  script.reply = () => '+OK\r\n';
  script.events = [];
  script.deadline = undefined;
  script.calls = [];
  script.affected = undefined;
  script.outbox = '';
  script.convention = undefined;
}

const HEADER = 64;
const SPANS = 128;
const SPAN_COUNT = 64;
const AREA = 1024;
const OUTPUT = 512 * 1024;
const STATUS = convention.status.Events | convention.status.Affected | convention.status.DeadlineEarlier;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function instantiate() {
  const memory = { buffer: new ArrayBuffer(1024 * 1024) };
  const bytes = () => new Uint8Array(memory.buffer);
  class Engine {
    __wbg_ptr = 8;
    constructor(options, now) {
      this.options = options;
      this.now = now;
      this.clients = 0;
      script.instance = this;
      script.memory = memory;
    }
    free() {
      this.freed = true;
    }
    reserve(length) {
      return length > OUTPUT - AREA ? 0 : AREA;
    }
    output() {
      return OUTPUT;
    }
    connect() {
      return ++this.clients;
    }
    disconnect(client) {
      script.calls.push(['disconnect', client]);
    }
    setProtocol() {}
    client() {
      return { name: '', db: 0, protocol: 3, inTransaction: false };
    }
    convention() {
      return script.convention ?? convention.hash;
    }
    frame() {
      return [HEADER, SPANS, SPAN_COUNT, AREA, 0, OUTPUT - AREA];
    }
    reserveFrame() {
      return false;
    }
    affected() {
      const { affected } = script;
      script.affected = undefined;
      return affected;
    }
    closing() {
      return false;
    }
    outbox() {
      return encoder.encode(script.outbox);
    }
    tick() {
      script.calls.push(['tick']);
      return false;
    }
    nextDeadline() {
      return script.deadline;
    }
    setClock(ms) {
      this.manualMs = ms;
    }
    listen(names) {
      this.listening = names;
    }
    takeEvents() {
      const events = script.events;
      script.events = [];
      return events.length === 0 ? undefined : events;
    }
  }
  /** Runs the command in the frame. */
  const engine_call = (_engine, _client, row, count) => {
    const spans = new Uint32Array(memory.buffer, SPANS, 2 * SPAN_COUNT);
    const argument = (index) => decoder.decode(bytes().slice(AREA + spans[2 * index], AREA + spans[2 * index + 1]));
    const argv = Array.from({ length: count }, (_, index) => (index === 0 ? NAMES[row] : undefined) ?? argument(index));
    script.calls.push(argv);
    const reply = script.reply(argv, script.instance);
    if (typeof reply === 'number') return reply;
    const encoded = encoder.encode(reply);
    bytes().set(encoded, OUTPUT);
    new Uint32Array(memory.buffer, HEADER, 2).set([OUTPUT, encoded.length]);
    return STATUS;
  };
  return { Engine, raw: { memory, engine_call, probe_stack: () => {} } };
}
