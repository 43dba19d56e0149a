/** Starts the page: loads the engine, runs a first command, and shows the playground. */

import { EngineMaker } from './model/engine.ts';
import { ThemeChoice } from './model/theme.ts';

const START = 'keylatch:start';
const FIRST_REPLY = 'keylatch:first-reply';

performance.mark(START);

async function start(): Promise<void> {
  const theme = new ThemeChoice(document.documentElement);
  const page = import('./page.ts');
  const maker = await EngineMaker.load();
  const engine = maker.make(Date.now());
  // A client of its own, which leaves none behind.
  const client = engine.db.client();
  client.callRaw('PING');
  client.close();
  const measure = performance.measure(FIRST_REPLY, START);
  document.documentElement.dataset['firstReplyMs'] = measure.duration.toFixed(1);
  (await page).showPage(maker, engine, theme);
}

function showFailure(error: unknown): void {
  const text = document.createElement('p');
  text.className = 'boot';
  text.setAttribute('role', 'alert');
  text.textContent = `The engine did not start: ${error instanceof Error ? error.message : String(error)}`;
  document.querySelector('kl-app')?.replaceWith(text);
}

start().catch(showFailure);
