/** Subscriptions over REST: each channel is a response of server-sent events, which is opened again when it ends. */
import { CallerTypeError } from '../base/caller-errors.js';
import { Decoder, Encoder } from '../base/encoders.js';
import { COMMANDS, type MessageKind } from '../client/channels.js';
import { textOf } from '../resp/reply.js';
import { Unavailable } from './errors.js';
import { type CallFailure, failureOf } from './failure.js';
import { failureOfResponse, headersOf, reached, type RestTarget } from './rest-response.js';
import { backOffMs, pause } from './retry.js';
import type { ChannelSource, Deliver, CallLimits } from './transport.js';

/** Time without a byte after which a response is given up: servers write a comment every 15 s. */
const SILENT_MS = 40_000;
const PREFIX = 'data: ';

const encoder = /* @__PURE__ */ new Encoder();

export class EventChannels implements ChannelSource {
  readonly #target: RestTarget;
  readonly #limits: CallLimits;
  readonly #deliver: Deliver;
  /** Responses by kind and channel. */
  readonly #open = new Map<string, AbortController>();

  constructor(target: RestTarget, limits: CallLimits, deliver: Deliver) {
    this.#target = target;
    this.#limits = limits;
    this.#deliver = deliver;
  }

  async begin(kind: MessageKind, name: Uint8Array): Promise<void> {
    if (kind === 'smessage') throw new CallerTypeError('over REST there are no shard channels: use subscribe()');
    const controller = new AbortController();
    const key = keyOf(kind, name);
    this.#open.get(key)?.abort();
    this.#open.set(key, controller);
    const events = new EventLines(kind, textOf(name), this.#deliver);
    try {
      const first = await this.#response(events, controller);
      void this.#follow(first, events, controller);
    } catch (error) {
      controller.abort();
      throw failureOf(error).cause;
    }
  }

  end(kind: MessageKind, name: Uint8Array): void {
    const key = keyOf(kind, name);
    this.#open.get(key)?.abort();
    this.#open.delete(key);
  }

  close(): void {
    for (const controller of this.#open.values()) controller.abort();
    this.#open.clear();
  }

  /** Opens a response, and reads it up to the confirmation. */
  async #response(events: EventLines, { signal }: AbortController): Promise<EventReader> {
    const { base } = this.#target;
    const own = new AbortController();
    const end = (): void => own.abort(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    const reader = new EventReader(events, () => {
      signal.removeEventListener('abort', end);
      own.abort();
    });
    const late = setTimeout(
      () => own.abort(new Unavailable('no confirmation of the subscription')),
      this.#limits.timeoutMs,
    );
    try {
      const headers = { ...(await headersOf(this.#target)), accept: 'text/event-stream' };
      const path = `${base}/${events.command}/${encodeURIComponent(events.name)}`;
      const response = await reached(fetch(path, { method: 'POST', headers, signal: own.signal }));
      if (response.status !== 200) throw await failureOfResponse(response, events.command.toUpperCase());
      await reader.begin(response);
      return reader;
    } catch (error) {
      reader.end();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Delivers messages until the subscription ends. */
  async #follow(first: EventReader, events: EventLines, controller: AbortController): Promise<void> {
    let reader: EventReader | undefined = first;
    for (let attempt = 0; !controller.signal.aborted; attempt += 1) {
      if (reader !== undefined) {
        await reader.readAll();
        attempt = 0;
      }
      if (controller.signal.aborted) return;
      await pause(backOffMs(attempt));
      reader = await this.#response(events, controller).catch((_: CallFailure) => undefined);
    }
    reader?.end();
  }
}

function keyOf(kind: MessageKind, name: Uint8Array): string {
  return `${kind} ${textOf(name)}`;
}

/** Lines of one subscription as messages. */
class EventLines {
  readonly kind: MessageKind;
  readonly name: string;
  readonly #deliver: Deliver;

  constructor(kind: MessageKind, name: string, deliver: Deliver) {
    this.kind = kind;
    this.name = name;
    this.#deliver = deliver;
  }

  /** First segment of the path. */
  get command(): string {
    return COMMANDS[this.kind][0].toLowerCase();
  }

  take(data: string): void {
    const head = `${this.kind},${this.name},`;
    if (!data.startsWith(head)) return;
    const rest = data.slice(head.length);
    // A channel of a pattern may hold a comma itself: it then ends at its first one.
    const comma = rest.indexOf(',');
    const parts = this.kind === 'pmessage' ? [rest.slice(0, comma), rest.slice(comma + 1)] : [rest];
    this.#deliver([this.kind, this.name, ...parts].map((part) => encoder.encode(part)));
  }
}

/** One response, read line by line. */
class EventReader {
  readonly #events: EventLines;
  readonly #cancel: () => void;
  readonly #decoder = new Decoder('utf-8', { ignoreBOM: true });
  #source: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #text = '';
  /** Lines of the event that has begun. */
  #data: string[] = [];
  #isConfirmed = false;

  constructor(events: EventLines, cancel: () => void) {
    this.#events = events;
    this.#cancel = cancel;
  }

  async begin(response: Response): Promise<void> {
    this.#source = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    while (!this.#isConfirmed) {
      if (!(await this.#read())) throw new Unavailable('the subscription ended before its confirmation');
    }
  }

  /** Resolves when the response ends, or is silent. */
  async readAll(): Promise<void> {
    try {
      while (await this.#timedRead());
    } catch {
      // The connection was lost: another one follows.
    } finally {
      this.end();
    }
  }

  end(): void {
    this.#cancel();
  }

  async #timedRead(): Promise<boolean> {
    const timer = setTimeout(this.#cancel, SILENT_MS);
    try {
      return await this.#read();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Reads a piece; false at the end. */
  async #read(): Promise<boolean> {
    const { done, value } = (await this.#source?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) return false;
    this.#text += this.#decoder.decode(value, { stream: true });
    const lines = this.#text.split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
    return true;
  }

  #line(line: string): void {
    if (line.startsWith(PREFIX)) {
      this.#data.push(line.slice(PREFIX.length));
    } else if (line === '' && this.#data.length > 0) {
      const data = this.#data.join('\n');
      this.#data = [];
      this.#isConfirmed ||= data.startsWith(`${this.#events.command},`);
      this.#events.take(data);
    }
  }
}
