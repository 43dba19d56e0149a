/** Names in the browser's storage. */

/** Name of the database of a store in IndexedDB, and of the lock of the page that writes it. */
export function databaseName(name: string): string {
  return `keylatch:${name}`;
}
