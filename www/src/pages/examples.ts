/** A button at each example runs it in place. The element, and with it the engine, is loaded when one is first pressed. */

import type { KeylatchRepl } from 'keylatch/element';
import type { ThemeChoice } from '../style/theme.ts';

const TAG = 'keylatch-repl';

/** Adds the buttons; `address` is that of the element's script. */
export function offerRuns(address: string, theme: ThemeChoice): void {
  const showTheme = (): void => {
    for (const element of document.querySelectorAll(TAG)) element.setAttribute('theme', theme.current);
  };
  showTheme();
  theme.changes.on(['theme'], showTheme);
  for (const example of document.querySelectorAll('.example')) example.append(runButton(example, address));
}

function runButton(example: Element, address: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'run';
  button.textContent = 'Run';
  button.addEventListener('click', () => void run(example, button, address));
  return button;
}

/** The element of a session that is not shown before it runs: the page has its text as a document. */
function hidden(example: Element): KeylatchRepl {
  const repl = document.createElement(TAG) as KeylatchRepl;
  repl.setAttribute('session', example.querySelector('template')?.content.textContent ?? '');
  return repl;
}

async function run(example: Element, button: HTMLButtonElement, address: string): Promise<void> {
  const repl = example.querySelector<KeylatchRepl>(TAG) ?? example.appendChild(hidden(example));
  button.disabled = true;
  button.textContent = 'Loading…';
  try {
    await loadElement(address);
    repl?.shadowRoot?.querySelector('button')?.focus({ preventScroll: true });
    await repl?.run();
  } catch {
    button.disabled = false;
    button.textContent = 'Not loaded. Try again';
  }
}

let loading: Promise<void> | undefined;

/** Loads the element once; a failure can be tried again. */
function loadElement(address: string): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      script.remove();
      loading = undefined;
      reject(new Error('The script was not loaded.'));
    });
    document.head.append(script);
  });
  return loading;
}
