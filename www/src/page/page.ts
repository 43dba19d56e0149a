/** Makes the models of the page and shows them. Loaded beside the engine, so that the engine's first reply waits for neither. */

import type { EngineMaker } from '../engine/engine.ts';
import type { KeptEngine } from '../kept/kept-engine.ts';
import { keepLua, registerOffline } from './offline.ts';
import type { PageStore } from '../kept/page-store.ts';
import { Playground } from './playground.ts';
import type { ThemeChoice } from '../style/theme.ts';
import type { WorkspaceState } from '../line/workspace-state.ts';
import './app.ts';

/** Parts that are there before the page. */
export interface Parts {
  readonly maker: EngineMaker;
  /** Engine with the keys of the last visit. */
  readonly engine: KeptEngine;
  readonly theme: ThemeChoice;
  readonly store: PageStore;
  /** The last visit, without its keys. */
  readonly state: WorkspaceState | undefined;
}

/** Shows the playground on an engine that has begun. */
export function showPage({ maker, engine, theme, store, state }: Parts): void {
  const playground = new Playground(maker, theme, store, engine);
  const app = document.querySelector('kl-app');
  if (app) app.playground = playground;
  playground.visit.begin(state);
  playground.followHash();
  document.documentElement.dataset['ready'] = '';
  if (!import.meta.env.PROD) return;
  maker.onLua = () => void keepLua();
  void registerOffline((reload) => playground.visit.offerUpdate(reload));
}
