/** All command methods in one class: a chain of families, each derived from the one before. */
import type { ResultMode } from './result-mode.js';
import { InspectionCommands } from './sugar/inspection.js';

export abstract class Commands<
  C extends ResultMode,
  Text extends string | Uint8Array = string,
> extends InspectionCommands<C, Text> {}
