/** Views of a session as a whole. One file: apart they would weigh more. */

export { openPicture } from '../picture/picture-dialog.ts';
import '../race/race-panel.ts';
