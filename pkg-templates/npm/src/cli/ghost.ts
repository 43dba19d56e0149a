/** Grey hint behind the cursor, as in redis-cli. Draws on the terminal, and erases the hint. */
import type { Interface, Key } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';

const GREY = '\x1b[90m';
const PLAIN = '\x1b[0m';
const ERASE_TO_END = '\x1b[K';

/** Shows `hintOf(line)` whenever the cursor is at the end of the line. */
export function showGhost(
  editor: Interface,
  input: ReadStream,
  output: WriteStream,
  hintOf: (line: string) => string,
): void {
  let shown = false;
  // The editor's own listener is between these two: the first erases before it, the second draws after it.
  input.prependListener('keypress', () => {
    if (shown) output.write(ERASE_TO_END);
    shown = false;
  });
  input.on('keypress', (_text: string, key: Key | undefined) => {
    if (key?.name === 'return' || key?.name === 'enter' || editor.cursor !== editor.line.length) return;
    const room = output.columns - editor.getCursorPos().cols - 1;
    const hint = hintOf(editor.line).slice(0, Math.max(room, 0));
    if (hint === '') return;
    output.write(`${GREY}${hint}${PLAIN}\x1b[${hint.length}D`);
    shown = true;
  });
}
