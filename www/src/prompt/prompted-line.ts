/** Parts of the command line that its prompt uses. */

import type { Announcements } from '../base/emitter.ts';
import type { LineEditor } from './line-editor.ts';
import type { LineProblem } from './typed-command.ts';

/** A client that can be chosen. */
interface PromptedClient {
  readonly name: string;
  readonly lane: number;
  readonly prompt: string;
  readonly connection: { readonly db: number };
}

export interface PromptedLine {
  readonly changes: Announcements<'clients' | 'keys'>;
  readonly clients: readonly PromptedClient[];
  readonly active: PromptedClient;
  readonly keys: { readonly count: number };
  /** False in a tab that only shows the keys of another one. */
  readonly mayWrite: boolean;
  /** The edited line. */
  readonly line: LineEditor;
  readonly pasting: { readonly isRunning: boolean; stop(): void };
  selectClient(client: PromptedClient): void;
  /** Loads what a text needs before it runs, or resolves to the reason why it cannot run; undefined if nothing is missing. */
  prepare(text: string): Promise<string | undefined> | undefined;
  runLine(text: string): LineProblem | undefined;
  runPasted(text: string): Promise<LineProblem | undefined>;
}
