/** Parts of the page that the session view uses. */

import type { ReplTheme } from 'keylatch/element';
import type { SessionEditorModel } from './session-editor-model.ts';
import type { RacePage } from '../race/raced-session.ts';

export interface SessionPage extends RacePage {
  readonly sessionEditor: SessionEditorModel;
  readonly theme: { readonly current: ReplTheme };
  /** Whether the address asks for the race of the session; once. */
  takeRace(): boolean;
  /** Continues in the command line from the session's current step. */
  continueInLine(): void;
}
