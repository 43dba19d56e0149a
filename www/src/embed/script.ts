/**
 * The script that pages of other sites include: defines `<keylatch-repl>`, with the engine and the playground of this
 * site. `data-fences="session"` on the script's tag turns fenced blocks of these languages into elements.
 */

import { KeylatchRepl, upgradeFences } from 'keylatch/element';

const NAME = 'keylatch-repl.js';

/** The tag of this script; a page that adds it as a module has none in `currentScript`. */
const tag =
  (document.currentScript as HTMLScriptElement | null) ??
  document.querySelector<HTMLScriptElement>(`script[src*="${NAME}"]`);

if (tag?.src) {
  const wasm = new URL('keylatch.wasm', tag.src).href;
  const playground = new URL('../../index.html', tag.src).href;
  const scripting = new URL('keylatch-lua.wasm', tag.src).href;
  KeylatchRepl.configure({ wasm, scripting, playground });
}

const languages = tag?.dataset['fences']?.split(/[\s,]+/).filter(Boolean) ?? [];
if (languages.length > 0) {
  const upgrade = (): unknown => upgradeFences(document, { languages });
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', upgrade);
  else upgrade();
}
