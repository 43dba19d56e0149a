/** `keylatch run FILE...`: checks session files. */
import { readFileSync } from 'node:fs';
import { describeMismatches } from '../session/session-report.js';
import { runSession } from '../testing/run-session.js';
import { SessionError } from '../base/errors.js';
import type { SessionReport } from '../session/session.js';
import { printError, printOut } from './output.js';

/** Outcome of one file: the number is the exit code, and the largest of all files counts. */
const MATCHED = 0;
const MISMATCHED = 1;
const UNREADABLE = 2;

/** Reads a file; `-` is the standard input. */
function read(file: string): string {
  return readFileSync(file === '-' ? 0 : file, 'utf8');
}

function checkReport(file: string, report: SessionReport): number {
  if (report.mismatches === 0) {
    const checked = report.steps.filter(({ verdict }) => verdict === 'matched').length;
    printOut(`${file}: ${checked} checked, all match`);
    return MATCHED;
  }
  printOut(describeMismatches(report, file));
  return MISMATCHED;
}

function checkFile(file: string): number {
  try {
    return checkReport(file, runSession(read(file)));
  } catch (error) {
    const place = error instanceof SessionError ? `:${error.line}:${error.column}` : '';
    printError(`${file}${place}: ${error instanceof Error ? error.message : String(error)}`);
    return UNREADABLE;
  }
}

/** Runs every file. Returns the exit code: 0 all match, 1 some do not, 2 some cannot be read. */
export function runFiles(files: readonly string[]): number {
  const outcomes = files.map(checkFile);
  const failed = outcomes.filter((outcome) => outcome !== MATCHED).length;
  if (files.length > 1) printOut(`${files.length - failed} of ${files.length} sessions match`);
  return Math.max(...outcomes);
}
