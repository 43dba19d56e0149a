/** The lessons: session files that are built into the page. Each is opened and checked unchanged. */

export interface Lesson {
  /** File name without its extension, which names the lesson in links. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

const files = import.meta.glob<string>('../../lessons/*.session', { query: '?raw', import: 'default', eager: true });

export const lessons: readonly Lesson[] = Object.entries(files)
  .map(([path, text]) => makeLesson(path, text))
  .sort((one, other) => (one.name < other.name ? -1 : 1));

function makeLesson(path: string, text: string): Lesson {
  const name = (path.split('/').at(-1) ?? path).replace(/\.session$/, '');
  const heading = /^##\s*(.+)$/m.exec(text)?.[1];
  return { name, title: heading ?? name.replace(/^\d+-/, '').replaceAll('-', ' '), text };
}
