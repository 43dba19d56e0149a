/**
 * The search over commands, lessons and guides: its index is one file of the site, and is loaded with the first query.
 */

export type HitKind = 'command' | 'use' | 'lesson' | 'recipe' | 'task' | 'guide';

/** A page, or a use of a command, as the file `search.json` has it. */
export interface SearchEntry {
  readonly kind: HitKind;
  /** Name of the command or the lesson; the guide's page. */
  readonly name: string;
  readonly title: string;
  /** A sentence below the title. */
  readonly about: string;
  /** Address from the root of the site. */
  readonly path: string;
  /** Words that people search for, and that a title does not have. */
  readonly words: string;
  /** Words of its text that stand nowhere above. */
  readonly text: string;
}

/** Points of a word that is one of a field, and of one that begins one. */
const FIELDS = [
  { field: 'title', whole: 10, begins: 6 },
  { field: 'words', whole: 8, begins: 5 },
  { field: 'about', whole: 3, begins: 2 },
  { field: 'text', whole: 2, begins: 1 },
] as const;
/** The rest of a longer query is not read. */
const MAX_QUERY_CHARS = 120;
/** Titles that are the query, or begin with it. */
const SAME_TITLE = 10;
const BEGINS_TITLE = 4;
/** Lessons explain more than a command's page, and a use of a command says less. */
const BY_KIND: Readonly<Record<HitKind, number>> = { lesson: 1.5, recipe: 1, guide: 1, command: 0.5, task: 0, use: 0 };

/** The search of a site, which loads its index with the first query. */
export class SiteSearch {
  private index: Promise<readonly SearchEntry[]> | undefined;

  /** `address` is that of `search.json`. */
  constructor(private readonly address: string) {}

  /** Returns the entries for a query. Rejects if the index cannot be loaded; the next query tries again. */
  async find(query: string): Promise<SearchEntry[]> {
    this.index ??= loadIndex(this.address);
    try {
      return find(await this.index, query);
    } catch (error) {
      this.index = undefined;
      throw error;
    }
  }
}

async function loadIndex(address: string): Promise<readonly SearchEntry[]> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The search was not loaded: ${response.status}.`);
  return (await response.json()) as readonly SearchEntry[];
}

/** Entries that have every word of the query, the best first. */
export function find(entries: readonly SearchEntry[], typed: string): SearchEntry[] {
  const query = typed.slice(0, MAX_QUERY_CHARS);
  const words = query
    .split(/\s+/)
    .map((word) => wordsOf(word))
    .filter((forms) => forms.length > 0);
  if (words.length === 0) return [];
  const phrase = wordsOf(query).join(' ');
  return entries
    .map((entry) => ({ entry, points: pointsOf(entry, words, phrase) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
    .map(({ entry }) => entry);
}

/** The words of a text in small letters; those joined by a hyphen or a point are also one. */
export function wordsOf(text: string): string[] {
  const small = text.toLowerCase();
  const joined = (small.match(/[a-z0-9]+(?:[-./][a-z0-9]+)*/g) ?? []).filter((word) => /[^a-z0-9]/.test(word));
  return [...joined.map((word) => word.replace(/[^a-z0-9]/g, '')), ...(small.match(/[a-z0-9]+/g) ?? [])];
}

function pointsOf(entry: SearchEntry, words: readonly string[][], phrase: string): number {
  const fields = FIELDS.map(({ field, ...points }) => ({ ...points, has: new Set(wordsOf(entry[field])) }));
  const each = words.map((forms) => {
    const [joined = '', ...parts] = forms;
    const whole = pointsOfWord(fields, joined);
    // Of `reader-writer` also a text with both words has it.
    const apart = parts.map((part) => pointsOfWord(fields, part));
    return whole > 0 || parts.length === 0 || apart.includes(0) ? whole : Math.min(...apart);
  });
  if (each.includes(0)) return 0;
  return each.reduce((sum, points) => sum + points, 0) + pointsOfTitle(entry, phrase) + BY_KIND[entry.kind];
}

/** More for a title that is the query, or begins with it. Uses have the titles of their commands. */
function pointsOfTitle({ kind, title }: SearchEntry, phrase: string): number {
  const words = wordsOf(title).join(' ');
  if (kind === 'use') return 0;
  return words === phrase ? SAME_TITLE : words.startsWith(`${phrase} `) ? BEGINS_TITLE : 0;
}

interface Field {
  readonly has: ReadonlySet<string>;
  readonly whole: number;
  readonly begins: number;
}

function pointsOfWord(fields: readonly Field[], word: string): number {
  const root = stem(word);
  return fields.reduce((sum, { has, whole, begins }) => {
    if (has.has(word) || has.has(root)) return sum + whole;
    const isBegun = root.length > 1 && [...has].some((other) => other.startsWith(root));
    return isBegun ? sum + begins : sum;
  }, 0);
}

/** `locks`, `locking` and `locked` search for `lock`. */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|s)$/, '') : word;
}
