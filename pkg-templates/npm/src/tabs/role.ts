/** The role of a tab among those of a name. */

/** Role of a tab: it leads, another one does or will, or it was closed. */
export type Role = 'leader' | 'follower' | 'closed';
