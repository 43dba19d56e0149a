/**
 * Replies in RESP3 to the recorded lines of clients that speak RESP2: a second engine runs the lines with the same keys at the
 * start, seed, clock and settings, while views of bytes are on the page.
 *
 * These replies cannot be shown: to lines from before the recording, and of clients that chose a protocol themselves by HELLO
 * or RESET. Facts about an engine, such as numbers of clients, memory and statistics, are those of the second one.
 * Over RESP2 a subscriber is refused other commands and tracking needs another client; over RESP3 both work, so that later
 * replies can differ, too.
 */

import type { Client } from 'keylatch/core';
import { printReply, splitLine } from 'keylatch/hints';
import type { Engine, EngineMaker } from '../engine/engine.ts';
import { callRaw, isClosed, joined } from '../engine/raw-call.ts';
import { firstLine } from '../text/session-lines.ts';
import { beginning } from '../text/output.ts';
import { type Received, receivedBy } from './received.ts';

/** A line of the command line: a command, a message with an empty text, or a movement of the clock. */
interface RecordedLine {
  readonly prompt: string;
  readonly text: string;
  readonly nowMs: number;
}

/** Lines since a start. The list grows while lines are typed. */
export interface RecordedLines {
  readonly start: Uint8Array | undefined;
  readonly setup: readonly RecordedLine[];
  readonly lines: readonly RecordedLine[];
  /** Number of the first line. */
  readonly first?: number | undefined;
}

/** A reply of the second engine. */
export interface SecondReply extends Received {
  /** The first lines as redis-cli prints them, and the number of all. */
  readonly printed: readonly string[];
  readonly lineCount: number;
}

const PROTOCOL = 3;

/** Runs the lines as far as their replies are asked for. */
export class SecondEngine {
  private readonly engine: Engine;
  private readonly clients = new Map<string, Client>();
  /** Messages that no line has shown, by client. */
  private readonly messages = new Map<string, Uint8Array[]>();
  private readonly replies: (SecondReply | undefined)[] = [];

  constructor(
    private readonly recorded: RecordedLines,
    maker: EngineMaker,
  ) {
    this.engine = maker.make();
    if (recorded.start) this.engine.db.load(recorded.start);
    for (const line of recorded.setup) this.run(line);
  }

  /** True if it runs the lines of this recording. */
  isOf({ lines }: RecordedLines): boolean {
    return lines === this.recorded.lines;
  }

  /** Reply to the line of an index; undefined if there is none to show. */
  reply(index: number): SecondReply | undefined {
    const { lines } = this.recorded;
    for (const line of lines.slice(this.replies.length, index + 1)) this.replies.push(this.run(line));
    return this.replies[index];
  }

  close(): void {
    this.engine.db.close();
  }

  private run({ prompt, text, nowMs }: RecordedLine): SecondReply | undefined {
    this.engine.clock.set(nowMs);
    this.collect();
    const { kind, name } = firstLine(prompt);
    if (kind === 'receive') return this.received(name);
    if (kind !== 'prompt') return undefined;
    const client = this.clientNamed(name);
    const reply = callRaw(client, splitLine(this.engine.db, text));
    const shown = this.shown(client.protocol, reply);
    this.collect();
    return shown;
  }

  private received(name: string): SecondReply | undefined {
    const messages = this.messages.get(name) ?? [];
    this.messages.delete(name);
    return this.shown(this.clients.get(name)?.protocol, joined(messages));
  }

  private shown(protocol: 2 | 3 | undefined, reply: Uint8Array): SecondReply | undefined {
    if (protocol !== PROTOCOL) return undefined;
    const printed = reply.length === 0 ? [] : printReply(this.engine.db, reply).split('\n');
    const received = receivedBy({ protocol }, reply);
    return { ...received, printed: beginning(printed) ?? printed, lineCount: printed.length };
  }

  /** Takes messages and late replies of all clients. An ended connection goes: recordings give the next one another name. */
  private collect(): void {
    for (const [name, client] of this.clients) {
      const messages = client.takeOutbox();
      if (messages.length > 0) this.messages.set(name, [...(this.messages.get(name) ?? []), messages]);
      if (!isClosed(client)) continue;
      client.close();
      this.clients.delete(name);
    }
  }

  private clientNamed(name: string): Client {
    const known = this.clients.get(name);
    if (known) return known;
    const client = this.engine.db.client({ protocol: PROTOCOL, name });
    this.clients.set(name, client);
    return client;
  }
}

/** The second engine that views share. It goes with the last of them. */
export class SharedEngine {
  private views = 0;
  private engine: SecondEngine | undefined;

  open(): void {
    this.views += 1;
  }

  close(): void {
    this.views -= 1;
    if (this.views === 0) this.forget();
  }

  /** Reply to a line of a recording, by its index. The engine is made for the first one. */
  reply(recorded: RecordedLines, maker: EngineMaker, index: number): SecondReply | undefined {
    if (!this.engine?.isOf(recorded)) {
      this.forget();
      this.engine = new SecondEngine(recorded, maker);
    }
    return this.engine.reply(index);
  }

  private forget(): void {
    this.engine?.close();
    this.engine = undefined;
  }
}
