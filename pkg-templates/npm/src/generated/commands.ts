import type { Argument } from '../argument.js';
export interface CommandTable<Text> {
  GET: { arguments: [key: Argument]; reply: Text | null };
}
