// A stand-in for the engine's bindings: answers what a test laid out, and records what it was asked.

/** What the next instance does; tests replace these. */
export const script = { reply: () => '+OK\r\n', events: [], deadline: undefined, calls: [], affected: undefined, outbox: '' };

export function reset() {
  script.reply = () => '+OK\r\n';
  script.events = [];
  script.deadline = undefined;
  script.calls = [];
  script.affected = undefined;
  script.outbox = '';
}

const AREA = 1024;
const OUTPUT = 512 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  const words = [];
  let at = 4 + 4 * count;
  for (let index = 0; index < count; index += 1) {
    const length = view.getUint32(4 + 4 * index, true);
    words.push(decoder.decode(bytes.subarray(at, at + length)));
    at += length;
  }
  return words;
}

export function instantiate() {
  const memory = { buffer: new ArrayBuffer(1024 * 1024) };
  const bytes = () => new Uint8Array(memory.buffer);
  class Engine {
    constructor(options, now) {
      this.options = options;
      this.now = now;
      this.clients = 0;
      script.instance = this;
      script.memory = memory;
    }
    free() { this.freed = true; }
    reserve(length) { return length > OUTPUT - AREA ? 0 : AREA; }
    output() { return OUTPUT; }
    connect() { return ++this.clients; }
    disconnect(client) { script.calls.push(['disconnect', client]); }
    setProtocol() {}
    client() { return { name: '', db: 0, protocol: 3, inTransaction: false }; }
    call(_client, length) {
      const argv = unpack(bytes().slice(AREA, AREA + length));
      script.calls.push(argv);
      const reply = script.reply(argv, this);
      if (typeof reply === 'number') return reply;
      const encoded = encoder.encode(reply);
      bytes().set(encoded, OUTPUT);
      return encoded.length;
    }
    affected() {
      const { affected } = script;
      script.affected = undefined;
      return affected;
    }
    closing() { return false; }
    outbox() { return encoder.encode(script.outbox); }
    tick() { script.calls.push(['tick']); return false; }
    nextDeadline() { return script.deadline; }
    setClock(ms) { this.manualMs = ms; }
    listen(on) { this.listening = on; }
    takeEvents() {
      const events = script.events;
      script.events = [];
      return events.length === 0 ? undefined : events;
    }
  }
  return { Engine, raw: { memory } };
}
