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
  const hash = lesson ? [`lesson=${lesson}`, ...encodeLinkOptions(shown)].join('&') : await hashOf(source, shown);
  if (hash === undefined) return undefined;
  const { origin, pathname } = location;
  const address = `${origin}${pathname}#${hash}`;
  return address.length > MAX_LINK_CHARS ? undefined : address;
}

/** The session in a hash. A browser that cannot compress has the text as it is; keys need a file then. */
async function hashOf(
  { text, title = titleOf(text), start }: SharedSession,
  shown: Partial<Permalink>,
): Promise<string | undefined> {
  const link = { ...shown, text, title, start };
  try {
    return await encodeLink(link as Permalink);
  } catch {
    if (start) return undefined;
    return [`s=${encodeURIComponent(text)}`, ...encodeLinkOptions(link)].join('&');
  }
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
