/** Parts of the page that the command line uses. */

import type { ReplTheme } from 'keylatch/element';
import type { KeyFormat } from '../files/files.ts';
import type { LookBack } from './look-back.ts';
import type { Source } from '../session/session-editor-model.ts';
import type { Workspace } from './workspace.ts';

export interface LinePage {
  readonly workspace: Workspace;
  readonly visit: {
    /** Brings back keys and log that were replaced; undefined: there are none. */
    readonly bringBack: (() => void) | undefined;
    /** Takes the kept command line from another tab. */
    takeOver(): Promise<void>;
  };
  readonly theme: { readonly current: ReplTheme };
  /** Opens what was typed as a session, with the keys it started from. */
  openAsSession(): void;
  /** The typed commands, for a link. */
  recordedSource(): Source;
  saveKeys(format: KeyFormat): Promise<void>;
  /** The typed commands as a session that can be moved through. */
  lookBack(Made: typeof LookBack): LookBack;
}
