/** Finds a log in a folder that has another name than `appendonlydir`, such as a copy, to say what to do with it. */
import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { LOG_FOLDER } from '../persist/files/contents.js';
import { isDraft } from '../persist/files/unnamed.js';

/** Says which folder at a path, or directly below it, holds a manifest, and how it is read; undefined if none does. */
export function foundElsewhere(path: string): string | undefined {
  const own = manifestOf(path);
  if (own !== undefined)
    return `${path} holds the log of ${own}, but a folder of logs must have the name ${LOG_FOLDER}: rename it, or copy it to DIR/${LOG_FOLDER} and pass DIR`;
  const folders = entriesOf(path).filter((entry) => entry.isDirectory());
  const below = folders.find(({ name }) => manifestOf(join(path, name)) !== undefined)?.name;
  if (below === undefined) return undefined;
  return `${path} holds a log in the folder ${below}, which must have the name ${LOG_FOLDER}: rename ${join(path, below)} to ${join(path, LOG_FOLDER)}`;
}

function manifestOf(folder: string): string | undefined {
  return entriesOf(folder).find(({ name }) => name.endsWith('.manifest') && !isDraft(name))?.name;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that cannot be listed is passed over.
    return [];
  }
}
