/** Runs the examples of the documentation in place: each gets a button, and can be edited before it runs. */

import { LoadError, SessionError } from 'keylatch/core';
import { runSessionOn, type SessionReport } from 'keylatch/hints';
import { EngineMaker } from '../model/engine.ts';
import '../style/docs.css';

let loading: Promise<EngineMaker> | undefined;

function enhance(example: HTMLElement): void {
  const code = example.querySelector('code');
  const link = example.querySelector('a');
  if (!code || !link) return;
  code.contentEditable = 'plaintext-only';
  code.role = 'textbox';
  code.ariaMultiLine = 'true';
  code.ariaLabel = 'Example, which can be edited';
  code.spellcheck = false;
  code.addEventListener('input', () => (link.href = `../index.html#s=${encodeURIComponent(code.textContent ?? '')}`));
  const result = document.createElement('output');
  const button = document.createElement('button');
  button.textContent = 'Run';
  button.addEventListener('click', () => void run(code.textContent ?? '', result));
  link.parentElement?.prepend(button);
  example.append(result);
}

/** Runs on an engine of its own and shows the summary, and replies where they differ or were not given. */
async function run(text: string, result: HTMLOutputElement): Promise<void> {
  result.textContent = 'Loading the engine …';
  result.className = '';
  try {
    const maker = await (loading ??= EngineMaker.load());
    const { db } = maker.make();
    try {
      show(runSessionOn(db, text), result);
    } finally {
      db.close();
    }
  } catch (error) {
    loading = error instanceof SessionError || error instanceof LoadError ? loading : undefined;
    result.className = 'bad';
    result.textContent = error instanceof Error ? error.message : String(error);
  }
}

function show(report: SessionReport, result: HTMLOutputElement): void {
  const checked = report.steps.filter(({ verdict }) => verdict !== 'ran').length;
  const bad = report.mismatches > 0;
  const summary = document.createElement('strong');
  summary.textContent = bad ? `✗ ${report.mismatches} of ${checked} differ` : `✓ ${checked} checked, all as expected`;
  const lines = document.createElement('pre');
  lines.textContent = report.text;
  result.className = bad ? 'bad' : 'good';
  result.replaceChildren(summary, lines);
}

for (const example of document.querySelectorAll<HTMLElement>('.example')) enhance(example);
