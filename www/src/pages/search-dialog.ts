/** The search of the pages beside the playground: a button in the header, and a dialog with what is found. */

import { type SearchEntry, SiteSearch } from '../search/search.ts';

const MAX_HITS = 30;

/** Adds the button; `root` is the address of the site's root, seen from the page. */
export function addSearch(root: string): void {
  const dialog = document.createElement('dialog');
  dialog.className = 'search';
  dialog.setAttribute('aria-label', 'Search');
  const field = document.createElement('input');
  field.type = 'search';
  field.placeholder = 'Search commands, lessons and guides';
  field.setAttribute('aria-label', field.placeholder);
  field.autocomplete = 'off';
  const status = document.createElement('p');
  status.setAttribute('role', 'status');
  const list = document.createElement('ul');
  dialog.append(field, status, list);
  const search = new SiteSearch(new URL(`${root}search.json`, document.baseURI).href);
  field.addEventListener('input', () => void show(field, search, status, list, root));
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') list.querySelector('a')?.click();
  });
  document.body.append(dialog);
  document.querySelector('header')?.append(openButton(dialog));
}

function openButton(dialog: HTMLDialogElement): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'open-search';
  button.textContent = 'Search';
  button.addEventListener('click', () => dialog.showModal());
  return button;
}

async function show(
  field: HTMLInputElement,
  search: SiteSearch,
  status: HTMLElement,
  list: HTMLElement,
  root: string,
): Promise<void> {
  const query = field.value;
  const hits = await search.find(query).catch(() => undefined);
  if (field.value !== query) return;
  list.replaceChildren(...(hits ?? []).slice(0, MAX_HITS).map((hit) => item(hit, root)));
  if (hits === undefined) status.textContent = 'The search was not loaded. Try again.';
  else if (query.trim() === '') status.textContent = '';
  else status.textContent = hits.length === 0 ? 'Nothing matches.' : `${hits.length} found`;
}

function item({ kind, title, about, path }: SearchEntry, root: string): HTMLElement {
  const link = document.createElement('a');
  link.href = root + path;
  const name = document.createElement('strong');
  name.textContent = title;
  const words = document.createElement('span');
  words.textContent = kind === 'use' ? about : `${about} (${kind})`;
  link.append(name, ' ', words);
  const entry = document.createElement('li');
  entry.append(link);
  return entry;
}
