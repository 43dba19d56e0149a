/** The types of `call`: arguments and reply by the name of the command, from the generated table. */
import type { Argument } from './argument.js';
import type { CommandTable } from './generated/commands.js';
import type { Reply } from './reply.js';

/** The commands this version knows, in capitals or in small letters. */
export type CommandName = keyof CommandTable<string> | Lowercase<keyof CommandTable<string>>;

/** What follows the name. */
export type ArgumentsOf<N extends string> =
  Uppercase<N> extends keyof CommandTable<string> ? CommandTable<string>[Uppercase<N>]['arguments'] : Argument[];

/** What is answered; bulk strings as Text. */
export type ReplyOf<N extends string, Text> =
  Uppercase<N> extends keyof CommandTable<Text> ? CommandTable<Text>[Uppercase<N>]['reply'] : Reply<Text>;
