/** Starts the page: loads the engine, runs a first command, and shows the playground. */

import { EngineMaker } from './model/engine.ts';
import { Playground } from './model/playground.ts';
import { ThemeChoice } from './model/theme.ts';
import './ui/app.ts';

const START = 'keylatch:start';
const FIRST_REPLY = 'keylatch:first-reply';

performance.mark(START);

async function start(): Promise<void> {
  const theme = new ThemeChoice(document.documentElement);
  const playground = new Playground(await EngineMaker.load(), theme);
  playground.workspace.active.connection.callRaw('PING');
  const measure = performance.measure(FIRST_REPLY, START);
  document.documentElement.dataset['firstReplyMs'] = measure.duration.toFixed(1);
  const app = document.querySelector('kl-app');
  if (app) app.playground = playground;
  playground.followHash();
}

function showFailure(error: unknown): void {
  const text = document.createElement('p');
  text.className = 'boot';
  text.setAttribute('role', 'alert');
  text.textContent = `The engine did not start: ${error instanceof Error ? error.message : String(error)}`;
  document.querySelector('kl-app')?.replaceWith(text);
}

start().catch(showFailure);
