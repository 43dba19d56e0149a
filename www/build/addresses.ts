/** Addresses of the site's pages, and what links of the repository's Markdown become on them. */

import { lessonPath } from '../src/base/site-paths.ts';
import { rootFrom } from './site.ts';

/** Where pages of Markdown are on the site. */
export interface Addresses {
  /** By the name of a page, the address of its file without an extension: `locks`, `recipes`, `string`. */
  readonly pages: ReadonlyMap<string, string>;
  /** By the place of a command's section, such as `string#setnx`, the address of its page. */
  readonly commands: ReadonlyMap<string, string>;
}

/** A page of Markdown with links. */
export interface Origin {
  /** Name of its file without an extension. */
  readonly name: string;
  /** Its address on the site. */
  readonly path: string;
  /** Name of the page that `README.md` of its folder is. */
  readonly list: string;
}

/** Address of a link's target, relative to its page; undefined for files of the repository, which have no place on the site. */
export function addressOf(target: string, origin: Origin, { pages, commands }: Addresses): string | undefined {
  if (/^https:/.test(target)) return target;
  const root = rootFrom(origin.path);
  const lesson = /lessons\/([\w-]+)\.session$/.exec(target)?.[1];
  if (lesson) return root + lessonPath(lesson);
  const [, folder = '', file = '', anchor = ''] = /^((?:[\w.-]+\/)*)([\w-]*)(?:\.md)?(#.*)?$/.exec(target) ?? [];
  const name = file === 'README' ? listOf(folder, origin) : file || origin.name;
  const command = commands.get(name + anchor);
  if (command !== undefined) return root + command;
  if (file === '') return target;
  const page = target.includes('.md') ? pages.get(name) : undefined;
  return page && `${root}${page}${anchor}`;
}

/** The page that `README.md` of a folder is. */
function listOf(folder: string, { list }: Origin): string {
  if (folder === '') return list;
  return folder.endsWith('guides/') ? 'guides' : 'commands';
}
