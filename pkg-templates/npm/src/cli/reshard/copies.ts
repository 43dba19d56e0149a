/** Copies of shards in a folder, with the positions of their logs in the names of their files. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ShardCopy {
  readonly snapshot: Uint8Array;
  /** Position of the shard's log at which it was copied. */
  readonly position: number;
}

/** The copies of all shards of a number; undefined if one is missing. */
export function readCopies(folder: string, count: number): ShardCopy[] | undefined {
  mkdirSync(folder, { recursive: true });
  const names = readdirSync(folder);
  const copies = Array.from({ length: count }, (_, index) => {
    const pattern = new RegExp(`^shard-${index}-of-${count}-at-(\\d+)\\.rdb$`);
    const name = names.find((each) => pattern.test(each));
    if (name === undefined) return undefined;
    return { snapshot: readFileSync(join(folder, name)), position: Number(pattern.exec(name)?.[1]) };
  });
  return copies.every((copy) => copy !== undefined) ? copies : undefined;
}

/** Writes the copies of all shards: the last one last, and each as a whole. */
export function writeCopies(folder: string, copies: readonly ShardCopy[]): void {
  for (const [index, { snapshot, position }] of copies.entries()) {
    const path = join(folder, `shard-${index}-of-${copies.length}-at-${position}.rdb`);
    writeFileSync(`${path}.tmp`, snapshot, { flush: true });
    renameSync(`${path}.tmp`, path);
  }
}
