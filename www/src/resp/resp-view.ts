/**
 * The bytes of a command: its request, and its reply in either protocol, coloured by type. The printed line that is
 * pointed at or focused marks its bytes. Nothing runs again: the reply is converted from the bytes that came.
 */

import type { Keylatch } from 'keylatch/core';
import { splitLine } from 'keylatch/hints';
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Received } from './received.ts';
import { shapeOf } from './reply-shapes.ts';
import { controls } from '../style/controls.ts';
import { beginning } from '../text/output.ts';
import { type Asked, downgraded, upgraded } from './resp-protocols.ts';
import { askedBy } from './resp-asked.ts';
import { latin1Text, parseReplies, piecesOf, requestNode, type RespNode, type RespPiece } from './resp-tree.ts';
import { printedLine, printedStyles } from '../parts/printed.ts';

/** Pieces and bytes of a piece that are shown. */
const SHOWN_PIECES = 120;
const SHOWN_BYTES = 200;
const LINE_FEED = 10;

const TONES: Readonly<Record<string, string>> = {
  '+': 'text',
  $: 'text',
  '=': 'text',
  ':': 'number',
  ',': 'number',
  '(': 'number',
  '#': 'number',
  '-': 'error',
  '!': 'error',
  _: 'null',
};

/** A command of the log with the bytes of its reply. */
interface SentCommand {
  readonly id: number;
  readonly lane: number;
  readonly text: string;
  /** The reply as sessions have it. */
  readonly printed: readonly string[];
  /** The reply as redis-cli prints it, where that differs. */
  readonly raw?: readonly string[] | undefined;
  readonly received?: Received | undefined;
}

/** The log around a command, and the engine that splits its words. */
interface SentCommands {
  readonly db: Keylatch;
  readonly log: { readonly commands: readonly SentCommand[] };
}

interface Shown {
  readonly entry: SentCommand;
  readonly protocol: 2 | 3;
  readonly request: readonly RespPiece[];
  readonly reply: readonly RespPiece[];
}

export class RespView extends LitElement {
  static override properties = {
    workspace: { attribute: false },
    entry: { attribute: false },
    protocol: { type: Number },
    line: { state: true },
  };
  declare workspace: SentCommands;
  declare entry: SentCommand;
  declare protocol: 2 | 3;
  /** The printed line that is pointed at or focused. */
  declare private line: number | undefined;
  private shown: Shown | undefined;

  static override styles = [
    controls,
    printedStyles,
    css`
      :host {
        display: grid;
        gap: var(--gap-2);
        padding-block-start: var(--gap-1);
      }
      .title {
        color: var(--ink-faint);
        font-size: var(--text-1);
        font-weight: 400;
      }
      .lines {
        display: grid;
        justify-items: start;
      }
      .lines button {
        max-width: 100%;
        padding: 0 var(--gap-1);
        margin-inline-start: calc(-1 * var(--gap-1));
        border: 0;
        border-radius: var(--round-1);
        background: none;
        color: inherit;
        font: var(--text-engine) / var(--even) var(--engine);
        text-align: start;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .bytes {
        margin: 0;
        max-height: 20rem;
        overflow: auto;
        padding: var(--gap-2) var(--gap-3);
        border-radius: var(--round-2);
        background: var(--inset);
        font: var(--text-engine) / var(--even) var(--engine);
        font-variant-ligatures: none;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .text {
        color: var(--verdigris);
      }
      .number {
        color: var(--brass);
      }
      .error {
        color: var(--rust);
      }
      .null,
      .end {
        color: var(--ink-faint);
      }
      .lit,
      .lines .lit {
        border-radius: 2px;
        background: var(--brass-wash, var(--verdigris-wash));
        outline: 1px solid var(--brass);
      }
      @media (forced-colors: active) {
        .lit {
          outline-color: Highlight;
        }
      }
    `,
  ];

  override render(): TemplateResult {
    const { request, reply } = this.pieces();
    const { received } = this.entry;
    return html`
      ${request.length > 0 ? html`<p class="title">Request, ${bytesText(sizeOf(request))}</p>${this.renderBytes(request, 'The bytes of the request')}` : nothing}
      <p class="title">${this.replyTitle()}</p>
      ${this.renderLines()}
      ${received && received.size > 0 ? this.renderBytes(reply, `The bytes of the reply in RESP${this.protocol}`) : nothing}
    `;
  }

  private replyTitle(): string {
    const { received, printed } = this.entry;
    if (printed.length === 0) return 'No reply yet';
    if (!received) return 'Reply of an earlier visit: its bytes were not kept';
    const came = `${bytesText(received.size)} in RESP${received.protocol}`;
    const isCut = received.size > received.bytes.length;
    if (this.protocol === received.protocol) return `Reply, ${came}`;
    const other = isCut ? 'the beginning' : bytesText(sizeOf(this.pieces().reply));
    return `Reply, ${other} in RESP${this.protocol}; received ${came}`;
  }

  /** One stop for the Tab key; arrows move between the lines. */
  private renderLines(): TemplateResult {
    const lines = this.entry.raw ?? this.entry.printed;
    const part = beginning(lines) ?? lines;
    return html`<div class="lines reply" role="group" aria-label="The reply as it is printed" @pointerleave=${() => (this.line = undefined)} @focusout=${() => (this.line = undefined)} @keydown=${this.moved}>
      ${part.map((line, index) => html`<button class=${this.line === index ? 'lit' : ''} tabindex=${index === (this.line ?? 0) ? 0 : -1} @pointerenter=${() => (this.line = index)} @focus=${() => (this.line = index)}>${printedLine(line)}</button>`)}
      ${part.length < lines.length ? html`<span class="null">… ${(lines.length - part.length).toLocaleString('en')} more lines</span>` : nothing}
    </div>`;
  }

  private moved(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...this.renderRoot.querySelectorAll<HTMLElement>('.lines button')];
    const at = buttons.indexOf((this.renderRoot as ShadowRoot).activeElement as HTMLElement);
    buttons[Math.min(Math.max(at + step, 0), buttons.length - 1)]?.focus();
  }

  private renderBytes(pieces: readonly RespPiece[], label: string): TemplateResult {
    const rest = pieces.slice(SHOWN_PIECES);
    // A request is one line; in a reply the content of a string is on the line of its head.
    const breaks = ({ line, type, bytes }: RespPiece, index: number): boolean =>
      line >= 0 && !(pieces[index + 1]?.type === type && isHead(type, bytes));
    const shown = pieces.slice(0, SHOWN_PIECES).map((piece, index) => this.renderPiece(piece, breaks(piece, index)));
    return html`<pre class="bytes" tabindex="0" role="group" aria-label=${label}>${shown}${this.renderRest(rest, pieces)}</pre>`;
  }

  private renderPiece({ type, bytes, line }: RespPiece, breaks: boolean): TemplateResult {
    const text = escaped(bytes.subarray(0, SHOWN_BYTES));
    const more = bytes.length - SHOWN_BYTES;
    const isLit = line >= 0 && line === this.line;
    return html`<span class="${TONES[type] ?? 'frame'} ${isLit ? 'lit' : ''}">${withLineEnds(text, breaks)}${more > 0 ? html`<span class="null">… ${more.toLocaleString('en')} more bytes</span>\n` : nothing}</span>`;
  }

  private renderRest(rest: readonly RespPiece[], pieces: readonly RespPiece[]): TemplateResult {
    const { received } = this.entry;
    const unkept = received && pieces === this.pieces().reply ? received.size - received.bytes.length : 0;
    return html`${rest.length > 0 ? html`<span class="null">… ${bytesText(sizeOf(rest)).replace(' ', ' more ')}</span>` : nothing}${unkept > 0 ? html`<span class="null">… ${bytesText(unkept)} were not kept</span>` : nothing}`;
  }

  /** The pieces, made once for each entry and protocol. */
  private pieces(): Shown {
    const { shown, entry, protocol } = this;
    if (shown?.entry === entry && shown.protocol === protocol) return shown;
    const words = this.wordsOf(entry.text);
    const request = words.length === 0 ? [] : piecesOf([requestNode(words)]);
    const asked = askedBy(words, shapeOf, this.queued());
    const nodes = parseReplies(entry.received?.bytes ?? new Uint8Array());
    const pieces = piecesOf(this.converted(nodes, asked));
    const reply = entry.raw ? byTextLine(pieces) : pieces;
    this.shown = { entry, protocol, request, reply };
    return this.shown;
  }

  private converted(nodes: readonly RespNode[], asked: Asked): RespNode[] {
    const received = this.entry.received?.protocol;
    if (received === this.protocol) return [...nodes];
    return nodes.map((node) => (this.protocol === 3 ? upgraded(node, asked) : downgraded(node, asked)));
  }

  /** Words of the transaction that EXEC ended. */
  private queued(): Uint8Array[][] {
    if (!/^exec$/i.test(this.entry.text.trim())) return [];
    const { commands } = this.workspace.log;
    const own = commands.filter(({ lane, id }) => lane === this.entry.lane && id < this.entry.id);
    const begin = own.findLastIndex(({ text }) => /^multi$/i.test(text.trim()));
    return own
      .slice(begin + 1)
      .filter(({ printed }) => printed[0] === 'QUEUED')
      .map(({ text }) => this.wordsOf(text));
  }

  private wordsOf(text: string): Uint8Array[] {
    return text === '' ? [] : splitLine(this.workspace.db, text);
  }
}

/** Pieces of a text that is printed without quotes: one for each of its lines. */
function byTextLine(pieces: readonly RespPiece[]): RespPiece[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : textLines(piece)));
}

function textLines({ type, bytes }: RespPiece): RespPiece[] {
  const found: RespPiece[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start) + 1 || bytes.length;
    found.push({ type, bytes: bytes.subarray(start, end), line: found.length });
    start = end;
  }
  return found;
}

/** True for the head of a bulk string that has a content. */
function isHead(type: string, bytes: Uint8Array): boolean {
  return (
    '$=!'.includes(type) && bytes[0] === type.charCodeAt(0) && /^.\d+\r\n$/.test(latin1Text(bytes.subarray(0, 24)))
  );
}

function sizeOf(pieces: readonly RespPiece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function bytesText(count: number): string {
  return count === 1 ? '1 byte' : `${count.toLocaleString('en')} bytes`;
}

/** Bytes as text: printable ASCII, else escapes. */
function escaped(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => {
    if (byte === 13) return '\\r';
    if (byte === 10) return '\\n';
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x5c;
    return isPlain ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  }).join('');
}

/** The ends of the protocol's lines in a quiet colour. */
function withLineEnds(text: string, breaks: boolean): unknown[] {
  return text
    .split(/(\\r\\n)/)
    .map((part) => (part === '\\r\\n' ? html`<span class="end">\\r\\n</span>${breaks ? '\n' : ''}` : part));
}

customElements.define('kl-resp-view', RespView);
