/**
 * Links that hold a session. The hash is a list of `NAME=VALUE` joined by `&`:
 *
 * | name | value |
 * |---|---|
 * | `s` | the text, percent-encoded: for links that are written by hand |
 * | `v1` | the text, packed |
 * | `size` | number of characters of `v1`, which shows whether the link is whole |
 * | `title` | title, percent-encoded |
 * | `step` | number of steps that have run |
 * | `view` | `line` continues in the command line |
 * | `theme` | `light` or `dark` |
 * | `start` | packed snapshot of the keys before the first line |
 */

import { pack, unpack } from './packing.js';
import { REPL_THEMES, type Theme } from './themes.js';
import { CallerRangeError } from '../base/caller-errors.js';
import { Decoder, Encoder } from '../base/encoders.js';

/** Contents of a link of the playground. */
export interface Permalink {
  /** Text of the session. */
  readonly text: string;
  /** Title of the session. */
  readonly title?: string | undefined;
  /** Number of steps that have run. */
  readonly step?: number | undefined;
  /** `line` continues in the command line. */
  readonly view?: 'line' | undefined;
  /** Colours of the page. */
  readonly theme?: Theme | undefined;
  /** Snapshot of the keys before the first line. */
  readonly start?: Uint8Array | undefined;
}

/** Reason why a link cannot be opened, for the visitor. */
export class LinkError extends Error {
  /** @internal */
  override readonly name = 'LinkError';
}

/** Length in characters above which programs truncate links: a file is offered instead. */
export const MAX_LINK_CHARS = 30_000;
const MAX_TITLE_CHARS = 200;
const NAMES = new Set(['s', 'v1', 'size', 'title', 'step', 'view', 'theme', 'start', 'lesson', 'race']);

/** The hash of a link, without `#`. */
export async function encodeLink(link: Permalink): Promise<string> {
  const packed = await pack(new Encoder().encode(link.text));
  const parts = [`size=${packed.length}`, `v1=${packed}`, ...encodeLinkOptions(link)];
  if (link.start) parts.push(`start=${await pack(link.start)}`);
  return parts.join('&');
}

/** The parts of a link about how something is shown, also beside a lesson's name. */
export function encodeLinkOptions({ title, step, view, theme }: Partial<Permalink>): string[] {
  const parts = { title, step, view, theme: theme === 'auto' ? undefined : theme };
  return Object.entries(parts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
}

/** Names and values of a hash. What has no known name belongs to the value before it: links are also written by hand. */
export function linkParts(hash: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  let last = '';
  for (const part of hash.replace(/^#/, '').split('&')) {
    const [name = '', value = ''] = part.split(/=(.*)/s);
    if (parts.size > 0 && !NAMES.has(name)) parts.set(last, `${parts.get(last)}&${part}`);
    else parts.set((last = name), value);
  }
  return parts;
}

/** True for a hash that holds a session. */
export function isPermalink(parts: ReadonlyMap<string, string>): boolean {
  return parts.has('s') || [...parts.keys()].some((name) => /^v\d+$/.test(name));
}

/** Throws LinkError with a sentence for the visitor. */
export async function decodeLink(parts: ReadonlyMap<string, string>): Promise<Permalink> {
  const written = parts.get('s');
  const text = written === undefined ? await packedText(parts) : percentDecoded(written);
  const start = parts.get('start');
  return {
    text,
    ...decodeLinkOptions(parts),
    start: start ? await unpacked(start, 'The key data in this link') : undefined,
  };
}

/** Reads title, step, view and theme; unknown values are left out. */
export function decodeLinkOptions(parts: ReadonlyMap<string, string>): Omit<Permalink, 'text' | 'start'> {
  const title = percentDecoded(parts.get('title') ?? '').slice(0, MAX_TITLE_CHARS);
  const step = parts.get('step') ?? '';
  return {
    title: title || undefined,
    step: /^\d{1,6}$/.test(step) ? Number(step) : undefined,
    view: parts.get('view') === 'line' ? 'line' : undefined,
    theme: REPL_THEMES.find((theme) => theme === parts.get('theme')),
  };
}

async function packedText(parts: ReadonlyMap<string, string>): Promise<string> {
  const packed = parts.get('v1');
  if (packed === undefined)
    throw new LinkError('This link was made by a newer version of the page. Reload the page, then open it again.');
  const size = Number(parts.get('size') ?? packed.length);
  if (packed.length < size)
    throw new LinkError(
      `This link is cut short: ${packed.length} of ${size} characters arrived. Ask for the session as a file instead.`,
    );
  const bytes = await unpacked(packed, 'This link');
  try {
    return new Decoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LinkError('This link is damaged: it does not hold a text.');
  }
}

async function unpacked(packed: string, what: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await unpack(packed);
  } catch (error) {
    if (error instanceof CallerRangeError)
      throw new LinkError(`${what} would unpack to more than 1 MiB and was not opened.`);
    const strange = /[^\w-]/.exec(packed);
    throw new LinkError(
      strange
        ? `${what} is damaged: the character “${printable(strange[0])}” does not belong there. It was changed on its way.`
        : `${what} is damaged or cut short: it cannot be unpacked.`,
    );
  }
}

function printable(character: string): string {
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character)
    ? character
    : `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Decodes percent signs; a text that cannot be decoded is taken as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
