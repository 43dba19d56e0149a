/** Races of the lessons and recipes: session files, fetched when they are opened. */

export interface RaceExample {
  readonly name: string;
  readonly title: string;
  readonly load: () => Promise<string>;
}

const files = import.meta.glob<string>('../../lessons/races/*.session', { query: '?raw', import: 'default' });

export const raceExamples: readonly RaceExample[] = Object.entries(files)
  .map(([path, load]) => {
    const name = (path.split('/').at(-1) ?? path).replace(/\.session$/, '');
    const words = name.replace(/^\d+-/, '').replaceAll('-', ' ');
    return { name, title: words.charAt(0).toUpperCase() + words.slice(1), load };
  })
  .sort((one, other) => (one.name < other.name ? -1 : 1));
