/**
 * Replies in RESP as trees, with the printed line that each part is on, and back as pieces of bytes. Tolerates replies
 * that are cut off. Pure.
 */

export interface RespNode {
  /** First byte of the reply: `+`, `$`, `*` ... */
  readonly type: string;
  /** Text behind the type, of replies that are one line. */
  readonly text?: string;
  /** Content of a bulk string; undefined: null, or another type. */
  readonly bytes?: Uint8Array;
  /** Elements of an aggregate, those of maps flat; undefined: null, or another type. */
  readonly items?: readonly RespNode[];
  /** Bytes or elements that the reply announces, if it is cut off. */
  readonly size?: number;
  /** Index of the printed line on which the reply starts. */
  readonly line: number;
}

/** A part of the bytes of a reply. */
export interface RespPiece {
  /** First byte of the reply that it belongs to. */
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly line: number;
}

const BULKS = '$=!';
const AGGREGATES = '*~>%|';
const CR = 13;

/** Bytes as text with a character for each, so that errors keep bytes that are not UTF-8. */
export function latin1Text(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

export function latin1Bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The replies in some bytes, one after another. */
export function parseReplies(bytes: Uint8Array): RespNode[] {
  const reader = new Reader(bytes);
  const nodes: RespNode[] = [];
  while (!reader.atEnd) {
    const node = reader.read();
    if (!node) break;
    nodes.push(node);
    reader.line += 1;
  }
  return nodes;
}

class Reader {
  /** Printed line of the next reply: redis-cli begins a line for each element but the first. */
  line = 0;
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get atEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** The next reply; undefined where the bytes end. */
  read(): RespNode | undefined {
    const end = this.bytes.indexOf(CR, this.at);
    if (end === -1) {
      this.at = this.bytes.length;
      return undefined;
    }
    const head = latin1Text(this.bytes.subarray(this.at, end));
    this.at = end + 2;
    const type = head.charAt(0);
    const text = head.slice(1);
    const { line } = this;
    if (BULKS.includes(type)) return this.bulk(type, Number(text), line);
    if (AGGREGATES.includes(type)) return this.aggregate(type, Number(text), line);
    return { type, text, line };
  }

  private bulk(type: string, size: number, line: number): RespNode {
    if (size < 0) return { type, line };
    const bytes = this.bytes.subarray(this.at, this.at + size);
    this.at += size + 2;
    // Verbatim texts are printed without quotes, so that their line feeds begin lines.
    if (type !== '$') this.line += bytes.filter((byte) => byte === 10).length;
    return bytes.length < size ? { type, bytes, size, line } : { type, bytes, line };
  }

  private aggregate(type: string, count: number, line: number): RespNode {
    if (count < 0) return { type, line };
    const isMap = type === '%';
    const total = isMap ? 2 * count : count;
    const items: RespNode[] = [];
    while (items.length < total && !this.atEnd) {
      const index = items.length;
      if (index > 0 && !(isMap && index % 2 === 1)) this.line += 1;
      // The value of a map is on the line of its key, unless it takes several lines.
      const isValue = isMap && index % 2 === 1;
      if (isValue && this.isMultiline()) this.line += 1;
      const item = this.read();
      if (!item) break;
      items.push(item);
    }
    return items.length < total ? { type, items, size: count, line } : { type, items, line };
  }

  /** True when redis-cli expects the next reply to take several lines. */
  private isMultiline(): boolean {
    const [node] = parseAhead(this.bytes.subarray(this.at));
    return node !== undefined && takesLines(node);
  }
}

function parseAhead(bytes: Uint8Array): RespNode[] {
  const node = new Reader(bytes).read();
  return node ? [node] : [];
}

function takesLines({ type, items = [] }: RespNode): boolean {
  const values = type === '%' ? items.filter((_, index) => index % 2 === 1) : items;
  const [first] = values;
  return values.length > 1 || (first !== undefined && takesLines(first));
}

/** Number of printed lines of replies. */
export function printedLines(nodes: readonly RespNode[]): number {
  return nodes.reduce((last, node) => Math.max(last, lastLine(node)), -1) + 1;
}

function lastLine({ type, line, bytes, items = [] }: RespNode): number {
  const own = bytes && type !== '$' ? line + bytes.filter((byte) => byte === 10).length : line;
  return items.reduce((last, item) => Math.max(last, lastLine(item)), own);
}

/** The bytes of replies in pieces: heads and contents. */
export function piecesOf(nodes: readonly RespNode[]): RespPiece[] {
  return nodes.flatMap((node) => {
    const { type, line, items, bytes } = node;
    const head = { type, bytes: latin1Bytes(headOf(node)), line };
    if (items) return [head, ...piecesOf(items)];
    if (!bytes) return [head];
    const end = node.size === undefined ? '\r\n' : '';
    return [head, { type, bytes: joined(bytes, latin1Bytes(end)), line }];
  });
}

function headOf({ type, text, bytes, items, size }: RespNode): string {
  if (text !== undefined) return `${type}${text}\r\n`;
  if (items) return `${type}${size ?? (type === '%' ? items.length / 2 : items.length)}\r\n`;
  return `${type}${bytes ? (size ?? bytes.length) : -1}\r\n`;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** A command as the request that a client sends. */
export function requestNode(words: readonly Uint8Array[]): RespNode {
  return { type: '*', items: words.map((bytes) => ({ type: '$', bytes, line: -1 })), line: -1 };
}
