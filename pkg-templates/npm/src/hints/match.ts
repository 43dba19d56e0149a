/**
 * Matches typed words against a command's argument grammar and returns the missing pieces. Optional arguments that
 * stand together may come in any order, a matched one is removed, a repeated one keeps its tail, and a word that fits
 * nowhere ends the match. Pure.
 */

import type { Argument, Piece } from './grammar.js';

/** Progress of one grammar piece. `rest`: the pieces still pending; `open`: a required part is missing. */
interface Match {
  readonly next: number;
  readonly rest: readonly Piece[];
  readonly open: boolean;
}

interface Words {
  readonly list: readonly string[];
  /** Set when an argument named `numkeys` was read: the exact count of the next repeated argument. */
  repeats: number | undefined;
}

const COUNT_NAME = 'numkeys';
const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const DOUBLE = /^[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|inf(?:inity)?)$/i;

/** The pieces still missing after `words`, or undefined when the words fit no legal command. */
export function remaining(grammar: readonly Argument[], words: readonly string[]): readonly Piece[] | undefined {
  const match = matchSequence(grammar, { list: words, repeats: undefined }, 0);
  return match && match.next === words.length ? match.rest : undefined;
}

function matchSequence(nodes: readonly Piece[], words: Words, start: number): Match | undefined {
  let at = start;
  let position = 0;
  let trailing: readonly Piece[] = [];
  while (position < nodes.length) {
    const node = nodes[position] as Piece;
    if (at >= words.list.length) return finish(at, trailing, nodes.slice(position));
    if (node.optional) {
      const run = optionalRun(nodes, position);
      const round = matchAnyOrder(run, words, at);
      position += run.length;
      at = round.next;
      if (at >= words.list.length) return finish(at, round.rest, nodes.slice(position), round.open);
      trailing = [];
      continue;
    }
    const match = matchNode(node, words, at);
    if (!match) return undefined;
    at = match.next;
    position += 1;
    if (match.open) return finish(at, match.rest, nodes.slice(position), true);
    trailing = match.rest;
  }
  return { next: at, rest: trailing, open: false };
}

function finish(next: number, rest: readonly Piece[], after: readonly Piece[], open = false): Match {
  return { next, rest: [...rest, ...after], open: open || after.some((piece) => !piece.optional) };
}

function optionalRun(nodes: readonly Piece[], start: number): readonly Piece[] {
  let end = start;
  while (nodes[end]?.optional) end += 1;
  return nodes.slice(start, end);
}

/** Consumes the optional pieces in the order of the words, until a word belongs to none of them. */
function matchAnyOrder(run: readonly Piece[], words: Words, start: number): Match {
  let left = [...run];
  let at = start;
  let last: readonly Piece[] = [];
  while (at < words.list.length) {
    const found = firstMatch(left, words, at);
    if (!found) break;
    left = left.filter((piece) => piece !== found.piece);
    at = found.match.next;
    last = found.match.rest;
    if (found.match.open) return { next: at, rest: [...last, ...left], open: true };
  }
  return { next: at, rest: [...last, ...left], open: false };
}

function firstMatch(pieces: readonly Piece[], words: Words, at: number): { piece: Piece; match: Match } | undefined {
  for (const piece of keywordsFirst(pieces)) {
    const match = matchNode(piece, words, at);
    if (match) return { piece, match };
  }
  return undefined;
}

/** Keywords win over plain values, so that `count` in front of `[WITHSCORES]` does not swallow the keyword. */
function keywordsFirst<T extends Argument>(pieces: readonly T[]): readonly T[] {
  return [...pieces.filter(startsWithToken), ...pieces.filter((piece) => !startsWithToken(piece))];
}

function startsWithToken(piece: Argument): boolean {
  if (piece.token !== undefined) return true;
  if (piece.type === 'oneof') return (piece.arguments ?? []).every(startsWithToken);
  const first = piece.type === 'block' ? piece.arguments?.[0] : undefined;
  return first !== undefined && startsWithToken(first);
}

function matchNode(node: Piece, words: Words, start: number): Match | undefined {
  if (node.multiple) return matchRepeated(node, words, start);
  return matchOnce(node, words, start, true);
}

function matchOnce(node: Piece, words: Words, start: number, withToken: boolean): Match | undefined {
  let at = start;
  if (node.token !== undefined && withToken) {
    if (words.list[at]?.toUpperCase() !== node.token.toUpperCase()) return undefined;
    at += 1;
    if (node.type === 'pure-token') return { next: at, rest: [], open: false };
    if (at >= words.list.length) return { next: at, rest: bodyPieces(node), open: true };
  }
  return matchBody(node, words, at);
}

/** Pieces still pending after the keyword of a piece. */
function bodyPieces(node: Piece): readonly Piece[] {
  if (node.type === 'block') return node.arguments ?? [];
  return [{ name: node.name, type: node.type, ...(node.arguments && { arguments: node.arguments }) }];
}

function matchBody(node: Piece, words: Words, at: number): Match | undefined {
  if (node.type === 'block') return matchSequence(node.arguments ?? [], words, at);
  if (node.type === 'oneof') return matchOneOf(node.arguments ?? [], words, at);
  const word = words.list[at];
  if (word === undefined || !fitsType(node, word)) return undefined;
  if (node.type === 'integer' && node.name === COUNT_NAME) words.repeats = Number(word);
  return { next: at + 1, rest: [], open: false };
}

function matchOneOf(choices: readonly Argument[], words: Words, at: number): Match | undefined {
  for (const choice of keywordsFirst(choices)) {
    const match = matchNode(choice, words, at);
    if (match && match.next > at) return match;
  }
  return undefined;
}

function matchRepeated(node: Piece, words: Words, start: number): Match | undefined {
  const exactly = words.repeats;
  words.repeats = undefined;
  let match = matchOnce(node, words, start, true);
  let rounds = 1;
  while (match && !match.open && match.next < words.list.length && rounds !== exactly) {
    const again = matchOnce(node, words, match.next, node.multipleToken === true);
    if (!again) break;
    match = again;
    rounds += 1;
  }
  if (!match) return undefined;
  return exactly === undefined ? withTail(node, match) : withCount(node, match, exactly - rounds);
}

function withTail(node: Piece, match: Match): Match {
  const tail: Piece = { ...node, optional: true, tail: true };
  return { ...match, rest: [...match.rest, tail] };
}

/** Repetitions still missing when a count was given; at most three are spelled out. */
function withCount(node: Piece, match: Match, owed: number): Match {
  const shown = Math.min(Math.max(owed, 0), 3);
  const round = bodyPieces(node);
  const rest = Array.from({ length: shown }, () => round).flat();
  return { next: match.next, rest: [...match.rest, ...rest], open: match.open || owed > 0 };
}

function fitsType(node: Argument, word: string): boolean {
  if (node.type === 'integer' || node.type === 'unix-time') return INTEGER.test(word);
  if (node.type === 'double') return DOUBLE.test(word);
  return true;
}
