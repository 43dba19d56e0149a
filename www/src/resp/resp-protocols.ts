/**
 * Replies of one protocol in the other, by the shape of the command's reply: RESP2 has no maps, sets, doubles and pushes.
 * Pure.
 */

import { latin1Bytes, latin1Text, type RespNode } from './resp-tree.ts';

/** Alternatives of a reply: `bulk`, or `array` with the shapes of its elements. */
export type Shape = readonly Alternative[];

interface Alternative {
  readonly name: string;
  readonly parts: readonly Shape[];
}

/** A command as far as its reply depends on it. */
export interface Asked {
  readonly shape: Shape;
  /** True when scores or values stand beside the elements, which RESP3 nests in pairs. */
  readonly pairs: boolean;
  /** True when elements were asked for by number, so that none is a null array. */
  readonly counted: boolean;
  /** True for texts that RESP3 marks as verbatim. */
  readonly verbatim: boolean;
  /** True for replies that are pushes in RESP3. */
  readonly push: boolean;
  /** The commands of a transaction, for the reply of EXEC. */
  readonly queued: readonly Asked[];
}

/** Parses `array(bulk|null)|integer`. */
export function parseShape(text: string): Shape {
  let at = 0;
  const alternatives = (): Shape => {
    const found = [alternative()];
    while (text[at] === '|') {
      at += 1;
      found.push(alternative());
    }
    return found;
  };
  const alternative = (): Alternative => {
    const [name = ''] = /^\w*/.exec(text.slice(at)) ?? [];
    at += name.length;
    const parts: Shape[] = [];
    if (text[at] !== '(') return { name, parts };
    while (text[at] === '(' || text[at] === ',') {
      at += 1;
      parts.push(alternatives());
    }
    at += 1;
    return { name, parts };
  };
  return alternatives();
}

const NONE: Shape = [];
const PUSHED = new Set(['message', 'pmessage', 'smessage', 'invalidate']);

/** A reply in RESP3. */
export function upgraded(node: RespNode, asked: Asked): RespNode {
  if (asked.push || isMessage(node))
    return { ...upgrade(node, asked.shape, asked), type: node.items ? '>' : node.type };
  if (asked.queued.length > 0 && node.items)
    return { ...node, items: node.items.map((item, index) => upgradedQueued(item, asked.queued[index])) };
  return upgrade(node, asked.shape, asked);
}

function upgradedQueued(node: RespNode, asked: Asked | undefined): RespNode {
  return asked ? upgraded(node, asked) : node;
}

function isMessage({ type, items }: RespNode): boolean {
  const [kind] = items ?? [];
  return type === '*' && kind?.bytes !== undefined && PUSHED.has(latin1Text(kind.bytes));
}

function upgrade(node: RespNode, shape: Shape, asked: Asked): RespNode {
  const { type, line, bytes, items } = node;
  if (isNull(node)) return { type: '_', text: '', line };
  if (type === '$' && bytes) {
    if (has(shape, 'double') && !has(shape, 'bulk')) return { type: ',', text: latin1Text(bytes), line };
    return asked.verbatim ? { ...node, type: '=', bytes: latin1Bytes(`txt:${latin1Text(bytes)}`) } : node;
  }
  if (type !== '*' || !items) return node;
  const set = find(shape, 'set');
  if (set) return { ...node, type: '~', items: each(items, set.parts, asked) };
  const map = find(shape, 'map');
  if (map) return { ...node, type: '%', ...halved(node), items: each(items, map.parts, asked) };
  const arrays = shape.filter(({ name }) => name === 'array');
  const nested = arrays.find(({ parts: [part = NONE, ...others] }) => others.length === 0 && has(part, 'array'));
  const isDeep = items.some((item) => item.items);
  if (asked.pairs && nested && !isDeep) return paired(node, items, nested, asked);
  const array = isDeep && nested ? nested : arrays.find((candidate) => candidate !== nested);
  return { ...node, items: each(items, array?.parts ?? [], asked) };
}

/** Elements with the shapes of their places: one for all, or one for each in turn. */
function each(items: readonly RespNode[], parts: readonly Shape[], asked: Asked): RespNode[] {
  return items.map((item, index) => upgrade(item, parts[index % Math.max(parts.length, 1)] ?? NONE, asked));
}

function paired(node: RespNode, items: readonly RespNode[], nested: Alternative, asked: Asked): RespNode {
  const pair = find(nested.parts[0] ?? NONE, 'array');
  const pairs: RespNode[] = [];
  for (let at = 0; at < items.length; at += 2) {
    const both = each(items.slice(at, at + 2), pair?.parts ?? [], asked);
    pairs.push({ type: '*', items: both, line: items[at]?.line ?? node.line });
  }
  return { ...node, ...halved(node), items: pairs };
}

/** The announced size of a reply that is cut off, when two elements become one. */
function halved({ size }: RespNode): { size?: number } {
  return size === undefined ? {} : { size: size / 2 };
}

/** A reply in RESP2. */
export function downgraded(node: RespNode, asked: Asked): RespNode {
  if (asked.queued.length > 0 && node.items) {
    const items = node.items.map((item, index) => {
      const queued = asked.queued[index];
      return queued ? downgraded(item, queued) : item;
    });
    return { ...node, items };
  }
  return downgrade(node, asked.shape, asked);
}

function downgrade(node: RespNode, shape: Shape, asked: Asked): RespNode {
  const { type, line, text = '', bytes, items, size } = node;
  switch (type) {
    case '_':
      return { type: isNullArray(shape, asked) ? '*' : '$', line };
    case ',':
    case '(':
      return { type: '$', bytes: latin1Bytes(text), line };
    case '#':
      return { type: ':', text: text === 't' ? '1' : '0', line };
    case '=':
      return { ...node, type: '$', bytes: bytes?.subarray(4) ?? new Uint8Array() };
    case '*':
    case '~':
    case '>':
    case '%': {
      const parts = (find(shape, 'map') ?? find(shape, 'set') ?? find(shape, 'array'))?.parts ?? [];
      const all = (items ?? []).map((item, index) =>
        downgrade(item, parts[index % Math.max(parts.length, 1)] ?? NONE, asked),
      );
      const flat = asked.pairs ? all.flatMap((item) => (item.items?.length === 2 ? item.items : [item])) : all;
      return { type: '*', items: flat, line, ...(size === undefined ? {} : { size: type === '%' ? size * 2 : size }) };
    }
    default:
      return node;
  }
}

/** True when RESP2 has a null array, not a null string, for a missing reply. */
function isNullArray(shape: Shape, { counted }: Asked): boolean {
  const scalar = has(shape, 'bulk') || has(shape, 'integer') || has(shape, 'double');
  return has(shape, 'array') && (!scalar || counted);
}

function isNull({ type, bytes, items }: RespNode): boolean {
  return (type === '$' && !bytes) || (type === '*' && !items);
}

function has(shape: Shape, name: string): boolean {
  return find(shape, name) !== undefined;
}

function find(shape: Shape, name: string): Alternative | undefined {
  return shape.find((alternative) => alternative.name === name);
}
