/** The windows that look at a session as a whole. One file: apart they would weigh more. */

export { openPicture } from '../picture/picture-dialog.ts';
export { openRace } from '../race/race-dialog.ts';
