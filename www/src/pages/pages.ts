/**
 * Script of the pages beside the playground. Before the page is drawn it applies the kept theme; then it adds what runs: the
 * theme button, and a button at each example, which loads the element when it is first pressed.
 */

import { ThemeChoice } from '../style/theme.ts';
import { offerRuns } from './examples.ts';
import { addSearch } from './search-dialog.ts';
import { addThemeButton } from './theme-button.ts';

/** The tag of this script names the element's script. */
const embed = (document.currentScript as HTMLScriptElement | null)?.dataset['embed'] ?? '';
const theme = new ThemeChoice(document.documentElement);

followMovedSection();
document.addEventListener('DOMContentLoaded', () => {
  followMovedSection();
  addSearch(document.documentElement.dataset['root'] ?? '');
  addThemeButton(theme);
  offerRuns(embed, theme);
});
addEventListener('hashchange', followMovedSection);

/** Sections of commands, on pages of their groups in earlier versions, are pages of their own. */
function followMovedSection(): void {
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (target instanceof HTMLAnchorElement) location.replace(target.href);
}
