/** Button in the header that cycles through the themes, as the one of the playground does. */

import type { ThemeChoice } from '../style/theme.ts';

const LABELS = { auto: 'as the system', light: 'light', dark: 'dark' } as const;
const NEXT = { auto: 'light', light: 'dark', dark: 'auto' } as const;

export function addThemeButton(theme: ThemeChoice): void {
  const button = document.createElement('button');
  const show = (): void => {
    button.textContent = `Theme: ${LABELS[theme.current]}`;
  };
  button.type = 'button';
  button.className = 'theme';
  button.addEventListener('click', () => theme.choose(NEXT[theme.current]));
  theme.changes.on(['theme'], show);
  show();
  document.querySelector('header')?.append(button);
}
