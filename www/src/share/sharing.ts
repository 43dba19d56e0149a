/** Links and files of a session. */

import { encodeLink, encodeLinkOptions, MAX_LINK_CHARS, type Permalink } from 'keylatch/element';
import { titleOf } from '../text/titles.ts';

/** A session: its text, and the keys before its first line. */
export interface SharedSession {
  readonly text: string;
  readonly title?: string | undefined;
  readonly start?: Uint8Array | undefined;
}

/** Length in characters above which chat programs and mail truncate links. */
export const LONG_LINK_CHARS = 8 * 1024;

/** Address of a session; undefined when it would be too long for a link. */
export async function linkTo(
  source: SharedSession,
  lesson: string | undefined,
  shown: Pick<Permalink, 'step' | 'view' | 'theme'>,
): Promise<string | undefined> {
  const { text, title, start } = source;
  const hash = lesson
    ? [`lesson=${lesson}`, ...encodeLinkOptions(shown)].join('&')
    : await encodeLink({ text, title: title ?? titleOf(text), start, ...shown });
  const { origin, pathname } = location;
  const address = `${origin}${pathname}#${hash}`;
  return address.length > MAX_LINK_CHARS ? undefined : address;
}

/** A session file; with keys at the start, JSON that holds both. */
export function fileOf(source: SharedSession): { readonly name: string; readonly content: string } {
  const title = source.title ?? titleOf(source.text);
  const name =
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '') || 'session';
  if (!source.start) return { name: `${name}.session`, content: source.text };
  const start = btoa(Array.from(source.start, (byte) => String.fromCharCode(byte)).join(''));
  const content = { keylatch: 'session', version: 1, title, text: source.text, start };
  return { name: `${name}.session.json`, content: `${JSON.stringify(content, undefined, 2)}\n` };
}

/** Offers a file for download. */
export function saveFile(name: string, content: string | Uint8Array<ArrayBuffer>): void {
  const anchor = document.createElement('a');
  anchor.download = name;
  anchor.href = URL.createObjectURL(new Blob([content]));
  anchor.click();
  // Browsers read the address when the click is handled.
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}
