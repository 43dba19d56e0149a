/** Makes elements of the page. Texts are set as text, never parsed: sessions come from anywhere. */

type Properties<Tag extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[Tag], 'style'>>;

export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties<Tag> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  element.append(...children);
  return element;
}

export function button(label: string, act: () => void, className = ''): HTMLButtonElement {
  const made = make('button', { type: 'button', className }, label);
  made.addEventListener('click', () => {
    if (made.ariaDisabled !== 'true') act();
  });
  return made;
}

/** Switches a button off without taking the focus from it. */
export function enable(button: HTMLButtonElement, isEnabled: boolean): void {
  button.ariaDisabled = isEnabled ? null : 'true';
}
