/** The browser's local storage, which may be absent, full or forbidden: then nothing is kept, and there is no error. */

const PREFIX = 'keylatch.';

export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Private windows and full disks refuse; the page works without storage.
  }
}
