/** Themes of the playground and of the element. */

/** All themes, the system's first. */
export const REPL_THEMES = ['auto', 'light', 'dark'] as const;
/** Colours of a page or an element: those of the system, or one of two. */
export type Theme = (typeof REPL_THEMES)[number];
