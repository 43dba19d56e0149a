/**
 * The argument grammar of a command as the engine's rows describe it: its types, and its text form. Pure: depends on
 * neither DOM nor engine.
 */

/** Type of an argument, as COMMAND DOCS names it. */
export type ArgumentType =
  | 'string'
  | 'integer'
  | 'double'
  | 'key'
  | 'pattern'
  | 'unix-time'
  | 'pure-token'
  | 'oneof'
  | 'block';

/** An argument in the grammar of a command. */
export interface Argument {
  /** Name of the value, as in the documentation. */
  readonly name: string;
  /** Type of the value, or how the parts belong together. */
  readonly type: ArgumentType;
  /** Keyword that introduces the argument, or the whole of it for a `pure-token`. */
  readonly token?: string;
  /** True if the argument may be left out. */
  readonly optional?: boolean;
  /** True if the argument may be repeated. */
  readonly multiple?: boolean;
  /** With `multiple`: the token is repeated before each repetition. */
  readonly multipleToken?: boolean;
  /** Parts of a `block`, alternatives of a `oneof`. */
  readonly arguments?: readonly Argument[];
}

/** A pending grammar piece. `tail` marks the repetitions left after the first round. */
export interface Piece extends Argument {
  readonly tail?: boolean;
}

/** The text of several pieces, as redis-cli prints a hint: `[NX|XX] [GET] [EX seconds|...]`. */
export function printPieces(pieces: readonly Piece[]): string {
  return pieces.map(printPiece).filter(Boolean).join(' ');
}

function printPiece(piece: Piece): string {
  const once = [piece.token, printBody(piece)].filter(Boolean).join(' ');
  const again = piece.multipleToken ? once : printBody(piece) || once;
  if (piece.tail) return `[${again} ...]`;
  const whole = piece.multiple ? `${once} [${again} ...]` : once;
  return piece.optional ? `[${whole}]` : whole;
}

function printBody(piece: Argument): string {
  switch (piece.type) {
    case 'pure-token':
      return '';
    case 'oneof':
      return (piece.arguments ?? []).map(printPiece).join('|');
    case 'block':
      return printPieces(piece.arguments ?? []);
    default:
      return piece.name;
  }
}

/** Candidates for the next word: the keywords, and the values that are not keywords. */
export interface Expected {
  readonly tokens: string[];
  readonly values: Argument[];
}

/** All candidates for the next word, given the pending pieces. */
export function expectedNext(pieces: readonly Piece[]): Expected {
  const expected: Expected = { tokens: [], values: [] };
  collectFirst(pieces, expected);
  return expected;
}

/** Collects first words in order and stops behind the first piece that cannot be left out. */
function collectFirst(pieces: readonly Piece[], expected: Expected): void {
  for (const piece of pieces) {
    collectPiece(piece, expected);
    if (!piece.optional && !piece.tail) return;
  }
}

function collectPiece(piece: Piece, expected: Expected): void {
  const tokenDue = piece.token !== undefined && (!piece.tail || piece.multipleToken);
  if (tokenDue) expected.tokens.push(piece.token as string);
  else if (piece.type === 'block') collectFirst(piece.arguments ?? [], expected);
  else if (piece.type === 'oneof') for (const choice of piece.arguments ?? []) collectPiece(choice, expected);
  else expected.values.push(piece);
}
