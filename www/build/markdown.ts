/** Renders the Markdown of this repository's own pages: headings, paragraphs, lists, tables, fences and inline marks. */

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const FENCE = /^`{3,}/;
const TABLE = /^\|/;
const LIST = /^- /;

export interface Rendering {
  /** Address of a link on the page, undefined if it has no place there: its text stays. */
  readonly address: (target: string) => string | undefined;
  /** Anchor of a link to a target, at which earlier versions had a section. */
  readonly linkAnchor?: (target: string) => string | undefined;
  /** HTML of a fenced block with the language behind its fence, '' for none. */
  readonly example: (text: string, language: string) => string;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** Anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

export function renderMarkdown(markdown: string, rendering: Rendering): string {
  const anchors = new Map<string, number>();
  const lines = markdown.replace(/<!--[\s\S]*?-->\s*/g, '').split('\n');
  const parts: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    if (line.trim() === '') at += 1;
    else if (heading) {
      const [, marks = '#', text = ''] = heading;
      parts.push(renderHeading(marks.length, text, uniqueAnchor(text, anchors), rendering));
      at += 1;
    } else {
      const end = blockEnd(lines, at);
      parts.push(renderBlock(lines.slice(at, end), rendering));
      at = end;
    }
  }
  return parts.join('\n');
}

/** Index behind the block that starts at a line. */
function blockEnd(lines: readonly string[], start: number): number {
  const first = lines[start] ?? '';
  const fence = FENCE.exec(first)?.[0];
  if (fence) return lines.indexOf(fence, start + 1) + 1 || lines.length;
  let end = start + 1;
  while (end < lines.length && /\S/.test(lines[end] ?? '') && !/^(?:#|```)/.test(lines[end] ?? '')) end += 1;
  return end;
}

function renderBlock(lines: readonly string[], rendering: Rendering): string {
  const [first = ''] = lines;
  if (FENCE.test(first)) return rendering.example(lines.slice(1, -1).join('\n'), first.replace(FENCE, '').trim());
  if (TABLE.test(first)) return renderTable(lines, rendering);
  if (LIST.test(first)) return renderList(lines, rendering);
  return `<p>${inline(lines.join(' '), rendering)}</p>`;
}

/** Anchor of a heading; one that repeats another on its page has a number, as on GitHub. */
function uniqueAnchor(heading: string, known: Map<string, number>): string {
  const anchor = anchorOf(heading);
  const count = known.get(anchor) ?? 0;
  known.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

function renderHeading(level: number, text: string, anchor: string, rendering: Rendering): string {
  return `<h${level} id="${escapeHtml(anchor)}">${inline(text, rendering)}</h${level}>`;
}

function renderList(lines: readonly string[], rendering: Rendering): string {
  const items = lines
    .join('\n')
    .split(/\n(?=- )/)
    .map((item) => item.replace(/^- /, '').replaceAll('\n', ' '));
  return `<ul>\n${items.map((item) => `<li>${inline(item, rendering)}</li>`).join('\n')}\n</ul>`;
}

function renderTable([head = '', , ...rows]: readonly string[], rendering: Rendering): string {
  const titles = cellsOf(head);
  const titled = titles.some((title) => title !== '');
  const body = rows.map((row) => {
    const cells = cellsOf(row).map((cell, index) => {
      const tag = index === 0 && !titled ? 'th scope="row"' : 'td';
      return `<${tag}>${inline(cell, rendering)}</${tag.split(' ')[0]}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  const header = titles.map((title) =>
    title === '' ? '<td></td>' : `<th scope="col">${inline(title, rendering)}</th>`,
  );
  const thead = titled ? `<thead><tr>${header.join('')}</tr></thead>` : '';
  return `<div class="table" tabindex="0" role="group" aria-label="Table"><table>${thead}<tbody>\n${body.join('\n')}\n</tbody></table></div>`;
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Code, strong text and links; everything else is text. */
export function inline(text: string, rendering: Rendering): string {
  return text
    .split(/(`` .*? ``|`[^`]*`|\[[^\]]*\]\([^)]*\)|\*\*[^*]+\*\*)/)
    .map((part, index) => (index % 2 === 0 ? escapeHtml(part) : mark(part, rendering)))
    .join('');
}

function mark(part: string, rendering: Rendering): string {
  if (part.startsWith('**')) return `<strong>${inline(part.slice(2, -2), rendering)}</strong>`;
  if (part.startsWith('`')) return `<code>${escapeHtml(part.replace(/^`+ ?| ?`+$/g, ''))}</code>`;
  const [, label = '', target = ''] = /^\[([^\]]*)\]\(([^)]*)\)$/.exec(part) ?? [];
  const address = rendering.address(target);
  const shown = inline(label, rendering);
  if (address === undefined) return shown;
  const anchor = rendering.linkAnchor?.(target);
  const id = anchor === undefined ? '' : ` id="${escapeHtml(anchor)}"`;
  return `<a${id} href="${escapeHtml(address)}">${shown}</a>`;
}

/** A paragraph without its marks, on one line. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
