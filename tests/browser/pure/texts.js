// The page's modules that read lines in one graph, so that they share the engine for it.
export * from '../../../www/src/recording/transcript.ts';
export * from '../../../www/src/resp/second-engine.ts';
export * from '../../../www/src/text/addressed-line.ts';
export * from '../../../www/src/text/paste.ts';
export * from '../../../www/src/text/paste-filter.ts';
export * from '../../../www/src/text/session-lines.ts';
export * from '../../../www/src/text/titles.ts';
