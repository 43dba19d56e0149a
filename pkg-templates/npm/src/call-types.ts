/** The types of `call`: arguments and reply by the name of the command, from the generated table. */
import type { Argument } from './argument.js';
import type { CommandTable } from './generated/commands.js';
import type { Reply } from './reply.js';

/** Commands of this version, in upper or lower case. */
export type CommandName = keyof CommandTable<string> | Lowercase<keyof CommandTable<string>>;

/** Arguments behind the name. */
export type ArgumentsOf<N extends string> =
  Uppercase<N> extends keyof CommandTable<string> ? CommandTable<string>[Uppercase<N>]['arguments'] : Argument[];

/** Reply type of the command; bulk strings as Text. */
export type ReplyOf<N extends string, Text> =
  Uppercase<N> extends keyof CommandTable<Text> ? CommandTable<Text>[Uppercase<N>]['reply'] : Reply<Text>;
