// Examples of the package's README, with checks of the values that their comments state.

/** Blocks of JavaScript with the number of their first line and the heading of their section. */
export function blocksOf(readme) {
  const found = readme.matchAll(/(<!-- not run: [^>]+ -->\n+)?```js\n([\s\S]*?)```/g);
  return [...found].map((match) => ({
    line: readme.slice(0, match.index).split('\n').length,
    section: sectionAt(readme, match.index),
    isSkipped: match[1] !== undefined,
    code: match[2],
  }));
}

/** Heading of the section around an index. */
function sectionAt(readme, index) {
  const start = readme.lastIndexOf('\n## ', index) + 1;
  return readme.slice(start, readme.indexOf('\n', start));
}

/** The value that a comment states, as code; undefined for prose. */
function statedValue(comment) {
  const text = /^('(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?n?|null|true|false|\[.*\]|\{.*\})(?=$|[:;,] )/.exec(comment)?.[1];
  if (text === undefined) return undefined;
  try {
    new Function(`return (${text})`)();
    return text;
  } catch {
    return undefined;
  }
}

/** A line with a check of the value behind it, if there is one. */
export function checked(line) {
  const parts = /^(\s*)(?:const (\w+) = )?(.*?); \/\/ (.+)$/.exec(line);
  const value = parts && statedValue(parts[4]);
  if (!parts || value === undefined || /^(import|for|if|while|let|var|return|export)\b/.test(parts[3])) return line;
  const [, indent, name, expression] = parts;
  if (name) return `${indent}const ${name} = ${expression}; $equal(${name}, ${value});`;
  return `${indent}$equal(${expression}, ${value});`;
}
