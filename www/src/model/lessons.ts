/** The lessons and recipes: session files that are built into the page. Each is opened and checked unchanged. */

export interface Lesson {
  /** File name without its extension, which names the lesson in links. */
  readonly name: string;
  readonly title: string;
  /** Whether this is a recipe on plain commands, listed apart from the lessons. */
  readonly isRecipe: boolean;
  /** Text of the session. That of a recipe is fetched when it is opened, which keeps the first load small. */
  readonly load: () => Promise<string>;
}

const lessonFiles = import.meta.glob<string>(['../../lessons/*.session', '!../../lessons/*-recipe-*.session'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
const recipeFiles = import.meta.glob<string>('../../lessons/*-recipe-*.session', { query: '?raw', import: 'default' });

/** Lessons, then recipes, in reading order. */
export const lessons: readonly Lesson[] = [
  ...Object.entries(lessonFiles).map(([path, text]) => makeLesson(path, text)),
  ...Object.entries(recipeFiles).map(([path, load]) => makeRecipe(path, load)),
].sort((one, other) => (one.name < other.name ? -1 : 1));

function makeLesson(path: string, text: string): Lesson {
  const name = nameOf(path);
  const heading = /^##\s*(.+)$/m.exec(text)?.[1];
  return { name, title: heading ?? spokenName(name), isRecipe: false, load: () => Promise.resolve(text) };
}

/** A recipe, titled by its file name: the text with the heading is not here yet. */
function makeRecipe(path: string, load: () => Promise<string>): Lesson {
  const name = nameOf(path);
  return { name, title: spokenName(name), isRecipe: true, load };
}

function nameOf(path: string): string {
  return (path.split('/').at(-1) ?? path).replace(/\.session$/, '');
}

/** A file name in words: `20-recipe-lock-names` is "Lock names". */
function spokenName(name: string): string {
  const words = name.replace(/^\d+-(?:recipe-)?/, '').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
