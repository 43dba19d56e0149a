/** Turns blocks of code, as Markdown is rendered to HTML, into elements. */

/** Languages of fences that are sessions. */
const LANGUAGES: readonly string[] = ['session'];
const TAG = 'keylatch-repl';

/**
 * Replaces the blocks of code of the given languages by `<keylatch-repl>` elements, and returns these. A fence
 * ```` ```session ```` is rendered as `<pre><code class="language-session">`; other attributes go to each element.
 *
 * @example upgradeFences(document, { languages: ['session', 'redis'], attributes: { theme: 'dark' } })
 */
export function upgradeFences(root: ParentNode = document, options: FenceOptions = {}): HTMLElement[] {
  const { languages = LANGUAGES, attributes = {} } = options;
  const wanted = languages.flatMap((language) =>
    [`code.language-${CSS.escape(language)}`, `code.lang-${CSS.escape(language)}`].map((code) => `pre > ${code}`),
  );
  if (wanted.length === 0) return [];
  const blocks = [...root.querySelectorAll<HTMLElement>(wanted.join(', '))].filter((code) => !code.closest(TAG));
  return blocks.map((code) => {
    const made = document.createElement(TAG);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    const pre = code.parentElement as HTMLElement;
    pre.replaceWith(made);
    // The block stays inside: programs that read the page find the text.
    made.append(pre);
    return made;
  });
}

/** Options of `upgradeFences`. */
export interface FenceOptions {
  /** Names behind the fences: `session` unless given. */
  readonly languages?: readonly string[] | undefined;
  /** Attributes of each element. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}
