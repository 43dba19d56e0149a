/** Makes the models of the page and shows them. Loaded beside the engine, so that the engine's first reply waits for neither. */

import type { Engine, EngineMaker } from './model/engine.ts';
import { Playground } from './model/playground.ts';
import type { ThemeChoice } from './model/theme.ts';
import './ui/app.ts';

/** Shows the playground on an engine that has begun. */
export function showPage(maker: EngineMaker, engine: Engine, theme: ThemeChoice): void {
  const playground = new Playground(maker, theme, engine);
  const app = document.querySelector('kl-app');
  if (app) app.playground = playground;
  playground.followHash();
  document.documentElement.dataset['ready'] = '';
}
