/** Mismatches of a session in words, for people and for test runners. */
import type { SessionReport, SessionMismatch } from './session.js';

function block(label: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [`  ${label} nothing`];
  const indent = ' '.repeat(label.length);
  return lines.map((line, index) => `  ${index === 0 ? label : indent} ${line}`);
}

function describe(mismatch: SessionMismatch, file: string): string {
  const place = file === '' ? `line ${mismatch.line}` : `${file}:${mismatch.line}`;
  const lines = [`${place}: ${mismatch.command}`];
  lines.push(...block('expected:', mismatch.expected), ...block('got:     ', mismatch.got));
  if (mismatch.message !== null) lines.push(`  ${mismatch.message}`);
  return lines.join('\n');
}

/** A few lines for each mismatch; '' when everything matched. */
export function describeMismatches(report: SessionReport, file = ''): string {
  return report.failures.map((mismatch) => describe(mismatch, file)).join('\n');
}
