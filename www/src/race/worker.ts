/** Explores a race beside the page, so that the page stays responsive. Cancelled by ending the worker. */

import { exploreRace, SessionError, type ExploreOptions, type RaceProgress, type RaceReport } from 'keylatch/testing';

export interface RaceRequest {
  readonly text: string;
  readonly options: Omit<ExploreOptions, 'onProgress'>;
}

export type RaceMessage =
  | { readonly kind: 'progress'; readonly progress: RaceProgress }
  | { readonly kind: 'report'; readonly report: RaceReport }
  | { readonly kind: 'problem'; readonly message: string };

/** Milliseconds between two messages of progress. */
const PROGRESS_MS = 100;

function tell(message: RaceMessage): void {
  postMessage(message);
}

addEventListener('message', ({ data }: MessageEvent<RaceRequest>) => {
  let toldAt = 0;
  const onProgress = (progress: RaceProgress): void => {
    if (performance.now() - toldAt < PROGRESS_MS) return;
    toldAt = performance.now();
    tell({ kind: 'progress', progress });
  };
  try {
    tell({ kind: 'report', report: exploreRace(data.text, { ...data.options, onProgress }) });
  } catch (error) {
    const place = error instanceof SessionError ? `Line ${error.line}: ` : '';
    tell({ kind: 'problem', message: `${place}${error instanceof Error ? error.message : String(error)}` });
  }
});
