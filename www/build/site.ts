/** Address of the site, which is known only if it was said to the build. */

/** Stands for the address of the site in documentation. */
export const ANY_SITE = 'https://example.org/keylatch';

/** Without a slash at its end. */
export const SITE = process.env['KEYLATCH_SITE']?.replace(/\/$/, '') || undefined;
