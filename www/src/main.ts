/** Starts the page: loads the engine, runs a first command, and shows the playground. */

import { loadCommandRows } from './commands/commands.ts';
import { EngineMaker } from './engine/engine.ts';
import { openKept } from './kept/kept-engine.ts';
import { PageStore } from './kept/page-store.ts';
import { ThemeChoice } from './style/theme.ts';
import { readLinesWith } from './text/session-lines.ts';
import { instantOf, savedState } from './page/visit.ts';

const START = 'keylatch:start';
const FIRST_REPLY = 'keylatch:first-reply';

performance.mark(START);

async function start(): Promise<void> {
  const theme = new ThemeChoice(document.documentElement);
  const page = import('./page/page.ts');
  const store = new PageStore();
  const [maker, state] = await Promise.all([EngineMaker.load(), savedState(store)]);
  const engine = await openKept(maker, instantOf(state));
  readLinesWith(engine.db);
  // A client of its own, which leaves none behind.
  const client = engine.db.client();
  client.callRaw('PING');
  client.close();
  const measure = performance.measure(FIRST_REPLY, START);
  document.documentElement.dataset['firstReplyMs'] = measure.duration.toFixed(1);
  await loadCommandRows();
  (await page).showPage({ maker, engine, theme, store, state });
}

function showFailure(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  const text = document.createElement('p');
  text.className = 'boot';
  text.setAttribute('role', 'alert');
  text.textContent = `The engine did not start: ${reason}. Check the network, then reload the page.`;
  document.querySelector('kl-app')?.replaceWith(text);
}

start().catch(showFailure);
