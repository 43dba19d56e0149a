/** Starts the page: loads the engine, runs a first command, and shows the playground. */

import { loadCommandRows } from './model/commands.ts';
import { EngineMaker } from './model/engine.ts';
import { openKept } from './model/kept-engine.ts';
import { registerOffline } from './model/offline.ts';
import { PageStore } from './model/page-store.ts';
import { Playground } from './model/playground.ts';
import { ThemeChoice } from './model/theme.ts';
import { instantOf, savedState } from './model/visit.ts';
import './ui/app.ts';

const START = 'keylatch:start';
const FIRST_REPLY = 'keylatch:first-reply';

performance.mark(START);

async function start(): Promise<void> {
  const theme = new ThemeChoice(document.documentElement);
  const store = new PageStore();
  const [maker, state] = await Promise.all([EngineMaker.load(), savedState(store)]);
  const playground = new Playground(maker, theme, store, await openKept(maker, instantOf(state)));
  playground.workspace.db.callRaw('PING');
  const measure = performance.measure(FIRST_REPLY, START);
  document.documentElement.dataset['firstReplyMs'] = measure.duration.toFixed(1);
  await loadCommandRows();
  const app = document.querySelector('kl-app');
  if (app) app.playground = playground;
  playground.visit.begin(state);
  playground.followHash();
  document.documentElement.dataset['ready'] = '';
  if (import.meta.env.PROD) void registerOffline((reload) => playground.visit.offerUpdate(reload));
}

function showFailure(error: unknown): void {
  const text = document.createElement('p');
  text.className = 'boot';
  text.setAttribute('role', 'alert');
  text.textContent = `The engine did not start: ${error instanceof Error ? error.message : String(error)}`;
  document.querySelector('kl-app')?.replaceWith(text);
}

start().catch(showFailure);
