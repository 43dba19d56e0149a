/** The name that a misspelt one was meant to be. */

/** Names from other clients and from redis.conf that are not near by their letters. */
const SYNONYMS: Readonly<Record<string, string>> = {
  maxage: 'ex',
  ttl: 'px',
  expire: 'ex',
  expiration: 'ex',
  reverse: 'rev',
  values: 'withvalues',
  scores: 'withscores',
  timeout: 'signal',
  password: 'requirepass',
  path: 'unixSocket',
  host: 'bind',
  pattern: 'match',
  database: 'db',
};

/** Number of letters to insert, delete, replace or swap with the next. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(last[j - 1]! + (same ? 0 : 1), last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    before = last;
    last = row;
  }
  return last[b.length]!;
}

/** The name nearest to another one, without regard to case and separators; undefined if none is near. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[-_ ]/g, '');
  const wanted = plain(name.slice(0, 40));
  const synonym = Object.hasOwn(SYNONYMS, wanted) ? SYNONYMS[wanted] : undefined;
  if (synonym !== undefined && names.includes(synonym)) return synonym;
  const ranked = names
    .map((one) => ({ one, far: plain(one) === wanted ? 0 : distance(wanted, plain(one)) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  // A short name is not near when most of its letters differ.
  return best !== undefined && best.far <= Math.min(2, Math.floor(wanted.length / 2)) ? best.one : undefined;
}
