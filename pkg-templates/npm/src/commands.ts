/** All the sugar in one class: a chain of families, each on top of the one before. */
import type { ResultMode } from './result-mode.js';
import { InspectionCommands } from './sugar/inspection.js';

export abstract class Commands<
  C extends ResultMode,
  Text extends string | Uint8Array = string,
> extends InspectionCommands<C, Text> {}
