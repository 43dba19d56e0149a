/** The search of the playground's views. */

import { SiteSearch } from './search.ts';

export const siteSearch = new SiteSearch(new URL('search.json', document.baseURI).href);
