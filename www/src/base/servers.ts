/** Servers that have a command, by the version since which its row has it. */

/** Major version of Redis from which on a command is new: most servers lack it. */
const NEW_MAJOR = 8;

/** Version of Redis, or of the server that alone has the command. */
export function sinceText(since: string): string {
  return /^\d/.test(since) ? `Redis ${since}` : since;
}

/** A remark behind a summary where it is not every Redis that has the command; else ''. */
export function serverNote(since: string): string {
  if (since.startsWith('keylatch ')) return ' Only in keylatch.';
  if (!/^\d/.test(since)) return ` Only in ${since} or newer, and in keylatch.`;
  return Number.parseInt(since, 10) >= NEW_MAJOR ? ` Needs Redis ${since} or newer.` : '';
}
