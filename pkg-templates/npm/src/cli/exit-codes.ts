/** Exit codes of the CLI beside 0. */

/** The work failed. */
export const EXIT_FAILED = 1;
/** The words of the command line are wrong. */
export const EXIT_USAGE = 2;
