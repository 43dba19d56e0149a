/**
 * The browser's storage of short texts, for all visits or for this tab. It may be absent, full or forbidden: then
 * nothing is kept, and there is no error.
 */

const PREFIX = 'keylatch.';

export type Area = 'visits' | 'tab';

// Functions, because reading the property alone is refused where storage is forbidden.
const areas: Readonly<Record<Area, () => Storage>> = { visits: () => localStorage, tab: () => sessionStorage };

export function recall(name: string, area: Area = 'visits'): string | undefined {
  try {
    return areas[area]().getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: string, area: Area = 'visits'): void {
  try {
    areas[area]().setItem(PREFIX + name, value);
  } catch {
    // Private windows and full disks refuse; the page works without storage.
  }
}

export function forget(name: string, area: Area = 'visits'): void {
  try {
    areas[area]().removeItem(PREFIX + name);
  } catch {
    // Without storage there is nothing to forget.
  }
}
