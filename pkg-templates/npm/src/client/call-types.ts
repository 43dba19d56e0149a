/** The types of `call`: arguments and reply by the name of the command, from the generated table. */
import type { Argument } from '../base/argument.js';
import type { CommandTable } from './generated/commands.js';
import type { Reply } from '../resp/reply.js';

/** Names in the table, subcommands behind a bar: `CLIENT|ID`. */
type TableName = keyof CommandTable<string>;

/** The part of a name in front of the bar. */
type Head<Name extends string> = Name extends `${infer Command}|${string}` ? Command : Name;

/** The table's names of a command: its own, those of its subcommands, or both. */
type NamesOf<Command extends string> = {
  [Name in TableName]: Head<Name> extends Command ? Name : never;
}[TableName];

/** Arguments of an entry behind the command; those of a subcommand begin with its name. */
type Behind<Name extends TableName> = Name extends `${string}|${infer Sub}`
  ? [subcommand: Sub | Lowercase<Sub>, ...CommandTable<string>[Name][0]]
  : CommandTable<string>[Name][0];

type Distributed<Name extends TableName> = Name extends TableName ? Behind<Name> : never;

/** Commands of this version, in upper or lower case. */
export type CommandName = Head<TableName> | Lowercase<Head<TableName>>;

/** Arguments behind the name. */
export type ArgumentsOf<N extends string> = [NamesOf<Uppercase<N>>] extends [never]
  ? Argument[]
  : Distributed<NamesOf<Uppercase<N>>>;

/** Shown by the compiler where arguments do not fit a command: the arguments that it takes. */
export interface Expected<Arguments> {
  /** Arguments behind the name. */
  readonly arguments: Arguments;
}

/** Anything if the arguments fit the command, else what it expects. */
export type Fits<N extends string, A extends Argument[]> =
  A extends ArgumentsOf<N> ? unknown : Expected<ArgumentsOf<N>>;

/** Reply type of the command; bulk strings as Text. */
export type ReplyOf<N extends string, Text> = [NamesOf<Uppercase<N>>] extends [never]
  ? Reply<Text>
  : CommandTable<Text>[NamesOf<Uppercase<N>>][1];
