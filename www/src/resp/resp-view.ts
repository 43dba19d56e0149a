/**
 * The bytes of a command: its request, and its reply in either protocol, coloured by type. The printed line that is
 * pointed at or focused marks its bytes. The reply in the other protocol is that of a second engine.
 */

import type { Keylatch } from 'keylatch/core';
import { splitLine } from 'keylatch/hints';
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { EngineMaker } from '../engine/engine.ts';
import type { Received } from './received.ts';
import { controls } from '../style/controls.ts';
import { beginning } from '../text/output.ts';
import { latin1Text, parseReplies, piecesOf, requestNode, type RespPiece } from './resp-tree.ts';
import { type RecordedLines, SharedEngine } from './second-engine.ts';
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
  readonly text: string;
  /** The reply as sessions have it. */
  readonly printed: readonly string[];
  /** The reply as redis-cli prints it, where that differs. */
  readonly raw?: readonly string[] | undefined;
  readonly received?: Received | undefined;
  /** Number of its line in the recording. */
  readonly recordedAt?: number | undefined;
}

/** The recording of a command, the engine that splits its words, and what makes another one. */
interface SentCommands {
  readonly db: Keylatch;
  readonly maker: EngineMaker;
  readonly recording: { readonly recorded: RecordedLines };
}

interface Shown {
  readonly entry: SentCommand;
  readonly protocol: 2 | 3;
  readonly request: readonly RespPiece[];
  readonly reply: readonly RespPiece[];
  /** The reply of the bytes that are shown. */
  readonly received: Received | undefined;
  /** Reason why it is not in the protocol of the view. */
  readonly reason: string;
  readonly lines: readonly string[];
  readonly lineCount: number;
}

const CHOSEN = 'the client chose its protocol itself';
const NOT_RECORDED = 'the recording begins later';

const second = new SharedEngine();

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

  override connectedCallback(): void {
    super.connectedCallback();
    second.open();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    second.close();
  }

  override render(): TemplateResult {
    const { request, reply, received } = this.pieces();
    return html`
      ${request.length > 0 ? html`<p class="title">Request, ${bytesText(sizeOf(request))}</p>${this.renderBytes(request, 'The bytes of the request')}` : nothing}
      <p class="title">${this.replyTitle()}</p>
      ${this.renderLines()}
      ${received && received.size > 0 ? this.renderBytes(reply, `The bytes of the reply in RESP${received.protocol}`) : nothing}
    `;
  }

  private replyTitle(): string {
    const { received, printed } = this.entry;
    const { received: shown, reason } = this.pieces();
    if (printed.length === 0) return 'No reply yet';
    if (!received || !shown) return 'Reply of an earlier visit: its bytes were not kept';
    if (reason !== '') return `Reply, ${sizeText(received)} as received: ${reason}`;
    return `Reply, ${sizeText(shown)}${shown === received ? '' : `; received ${sizeText(received)}`}`;
  }

  /** One stop for the Tab key; arrows move between the lines. */
  private renderLines(): TemplateResult {
    const { lines: part, lineCount } = this.pieces();
    return html`<div class="lines reply" role="group" aria-label="The reply as it is printed" @pointerleave=${() => (this.line = undefined)} @focusout=${() => (this.line = undefined)} @keydown=${this.moved}>
      ${part.map((line, index) => html`<button class=${this.line === index ? 'lit' : ''} tabindex=${index === (this.line ?? 0) ? 0 : -1} @pointerenter=${() => (this.line = index)} @focus=${() => (this.line = index)}>${printedLine(line)}</button>`)}
      ${part.length < lineCount ? html`<span class="null">… ${(lineCount - part.length).toLocaleString('en')} more lines</span>` : nothing}
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
    const { received, reply } = this.pieces();
    const unkept = received && pieces === reply ? received.size - received.bytes.length : 0;
    return html`${rest.length > 0 ? html`<span class="null">… ${bytesText(sizeOf(rest)).replace(' ', ' more ')}</span>` : nothing}${unkept > 0 ? html`<span class="null">… ${bytesText(unkept)} were not kept</span>` : nothing}`;
  }

  /** The pieces, made once for each entry and protocol. */
  private pieces(): Shown {
    const { shown, entry, protocol } = this;
    if (shown?.entry === entry && shown.protocol === protocol) return shown;
    const words = this.wordsOf(entry.text);
    const request = words.length === 0 ? [] : piecesOf([requestNode(words)]);
    const answered = this.answered();
    const pieces = piecesOf(parseReplies(answered.received?.bytes ?? new Uint8Array()));
    const reply = entry.raw ? byTextLine(pieces) : pieces;
    this.shown = { entry, protocol, request, reply, ...answered };
    return this.shown;
  }

  /** The reply as it came, or that of the second engine, which speaks the other protocol. */
  private answered(): Pick<Shown, 'received' | 'reason' | 'lines' | 'lineCount'> {
    const { received, recordedAt = -1, raw, printed } = this.entry;
    const { recorded } = this.workspace.recording;
    const all = raw ?? printed;
    const own = { received, lines: beginning(all) ?? all, lineCount: all.length };
    if (!received || received.protocol === this.protocol) return { ...own, reason: '' };
    // Clients of this page begin with RESP2.
    if (this.protocol === 2) return { ...own, reason: CHOSEN };
    const index = recordedAt - (recorded.first ?? 0);
    if (index < 0 || index >= recorded.lines.length) return { ...own, reason: NOT_RECORDED };
    const other = second.reply(recorded, this.workspace.maker, index);
    if (!other) return { ...own, reason: CHOSEN };
    return { received: other, lines: other.printed, lineCount: other.lineCount, reason: '' };
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

function sizeText({ size, protocol }: Received): string {
  return `${bytesText(size)} in RESP${protocol}`;
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
