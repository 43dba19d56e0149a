/** All methods of commands in one class: those printed from the rows, and those of the families that are written by hand. */
import type { ResultMode } from '../base/result-mode.js';
import { PlainCommands } from './generated/methods.js';
import { BitCommands } from './sugar/bits.js';
import { ConnectionCommands } from './sugar/connection.js';
import { GeoCommands } from './sugar/geo.js';
import { HashExpiryCommands } from './sugar/hash-expiry.js';
import { HashCommands } from './sugar/hashes.js';
import { InspectionCommands } from './sugar/inspection.js';
import { KeyCommands } from './sugar/keys.js';
import { ListCommands } from './sugar/lists.js';
import { RangeCommands } from './sugar/ranges.js';
import { ScriptCommands } from './sugar/scripts.js';
import { SetAlgebraCommands } from './sugar/set-algebra.js';
import { SetCommands } from './sugar/sets.js';
import { SortCommands } from './sugar/sort.js';
import { SortedSetCommands } from './sugar/sorted-sets.js';
import { StringCommands } from './sugar/strings.js';

/** The printed methods and those of the families below. Copies keep the prototype chain short, and families independent. */
const AllCommands: typeof PlainCommands = /* @__PURE__ */ withMethods(PlainCommands, [
  StringCommands,
  KeyCommands,
  BitCommands,
  ListCommands,
  SetCommands,
  HashCommands,
  HashExpiryCommands,
  SortedSetCommands,
  RangeCommands,
  SetAlgebraCommands,
  GeoCommands,
  SortCommands,
  ConnectionCommands,
  InspectionCommands,
  ScriptCommands,
]);

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the families hold methods only, and all of them are copied.
export abstract class Commands<C extends ResultMode, Text extends string | Uint8Array = string> extends AllCommands<
  C,
  Text
> {}

/** Declares the methods that are copied from the families below. */
export interface Commands<C extends ResultMode, Text extends string | Uint8Array = string>
  extends StringCommands<C, Text>,
    KeyCommands<C, Text>,
    BitCommands<C, Text>,
    ListCommands<C, Text>,
    SetCommands<C, Text>,
    HashCommands<C, Text>,
    HashExpiryCommands<C, Text>,
    SortedSetCommands<C, Text>,
    RangeCommands<C, Text>,
    SetAlgebraCommands<C, Text>,
    GeoCommands<C, Text>,
    SortCommands<C, Text>,
    ConnectionCommands<C, Text>,
    InspectionCommands<C, Text>,
    ScriptCommands<C, Text> {}

/** The class with the methods of the families. Bundles that do not use the result leave the call out. */
function withMethods(
  target: typeof PlainCommands,
  families: readonly { readonly prototype: object }[],
): typeof PlainCommands {
  for (const { prototype } of families) {
    const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(prototype);
    Object.defineProperties(target.prototype, methods);
  }
  return target;
}
