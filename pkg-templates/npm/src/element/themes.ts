/** Themes of the playground and of the element. */

export const THEMES = ['auto', 'light', 'dark'] as const;
/** Colours of a page or an element: those of the system, or one of two. */
export type Theme = (typeof THEMES)[number];
