/**
 * Modules of a visit's first view. One file holds them, although views that are loaded later share some: apart they would weigh
 * more.
 */

import type { Plugin } from 'vite';

const ofFirstView = new Set<string>();
/** Code of the page and of Lit. The command table, which is data, compresses better alone. */
const OF_PAGE = /\/src\/|\/node_modules\/(?:@lit|lit)|\/esm\/element/;

/** Finds the modules that the start loads beside the engine; those of the start itself stay where they are. */
export function modulesOfFirstView(): Plugin {
  return {
    name: 'keylatch-modules-of-first-view',
    apply: 'build',
    buildEnd() {
      const reach = (ids: Iterable<string>): Set<string> => {
        const found = new Set(ids);
        for (const id of found) for (const imported of this.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
        return found;
      };
      const entries = [...this.getModuleIds()].filter((id) => this.getModuleInfo(id)?.isEntry);
      const apart = reach(entries);
      const start = entries.filter((id) => id.endsWith('/index.html'));
      const later = [...reach(start)].flatMap((id) => this.getModuleInfo(id)?.dynamicallyImportedIds ?? []);
      for (const id of reach(later)) if (OF_PAGE.test(id) && !apart.has(id)) ofFirstView.add(id);
    },
  };
}

/** Whether a module belongs into the file of the first view. */
export function isOfFirstView(id: string): boolean {
  return ofFirstView.has(id);
}
