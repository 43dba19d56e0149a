/** A sequence diagram of a session as SVG: time downwards, a lane for each client, a bar for each key. Pure. */

import { isoText } from '../text/durations.ts';
import type { Clash, Span } from './spans.ts';
import type { Story } from './story.ts';

const ROW = 38;
/** Distance between the upper edge of a text and its row. */
const GAP = 11;
const TOP = 44;
const LEFT = 108;
const LANE = 96;
/** Width of a key's track, with the labels of its holders. */
const KEY = 108;
/** Room for the texts of the last lane, which end in front of the first key. */
const TEXT = 400;
const TEXT_MAX = 46;
/** Distance of bars beside each other. */
const SLOT = 11;
/** Number of colours of clients. */
export const COLOURS = 8;

export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  /** The picture in sentences. */
  readonly words: readonly string[];
}

export function drawPicture(story: Story): Picture {
  const layout = new Layout(story);
  const { width, height } = layout;
  const words = wordsOf(story);
  const [title = '', ...rest] = words;
  const body = [
    `<title id="picture-title">${escaped(title)}</title>`,
    `<desc id="picture-words">${escaped(rest.join(' '))}</desc>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    ...story.clashes.map((clash) => layout.clash(clash)),
    ...story.clients.map((client) => layout.lane(client)),
    ...story.keys.map((key) => layout.track(key)),
    ...story.beliefs.map((span) => layout.belief(span)),
    ...story.holds.map((span) => layout.hold(span)),
    ...story.rows.map((_, row) => layout.row(row)),
  ].join('\n');
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  const label = 'role="img" aria-labelledby="picture-title picture-words"';
  return { svg: `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${label}>\n${body}\n</svg>`, width, height, words };
}

class Layout {
  readonly width: number;
  readonly height: number;
  /** Positions of the bars of holds among those of their key, and the last position in use where they begin. */
  private readonly slots = new Map<Span, readonly [own: number, last: number]>();

  constructor(private readonly story: Story) {
    const { clients, keys, rows, holds } = story;
    this.width = LEFT + (clients.length - 1) * LANE + TEXT + keys.length * KEY;
    this.height = TOP + rows.length * ROW + 20;
    for (const hold of holds) this.slots.set(hold, this.slotsAt(hold));
  }

  lane(client: string): string {
    const x = this.laneX(client);
    return `<g class="${this.colour(client)}"><text class="name" x="${x}" y="18">${escaped(cut(client, 13))}</text><path class="life" d="M${x} 26V${this.height - 8}"/></g>`;
  }

  track(key: string): string {
    const x = this.keyX(key);
    return `<text class="key" x="${x}" y="18">${escaped(cut(key, 13))}<title>${escaped(key)}</title></text><path class="life" d="M${x} 26V${this.height - 8}"/>`;
  }

  /** Belief of a client, on its lane. */
  belief(span: Span): string {
    return this.bar(span, this.laneX(span.client), 12, 'belief');
  }

  /** The holder of a key, on the track of the key, with the end of its lease. */
  hold(span: Span): string {
    const [own, last] = this.slots.get(span) ?? [0, 0];
    const x = this.keyX(span.key) + last * SLOT + 9;
    const y = this.rowY(span.from) + 9;
    const until = span.untilMs === undefined ? 'no end' : timeText(span.untilMs);
    const label = `<text class="until" x="${x}" y="${y}">${escaped(cut(span.client, 11))}<tspan x="${x}" dy="12">${until}</tspan></text>`;
    return this.bar(span, this.keyX(span.key) + own * SLOT, 9, 'hold') + (span.to - span.from > 0 ? label : '');
  }

  clash({ key, clients, from, to }: Clash): string {
    // Edges stand between rows only, where they cross no text: the dashes leave those at its sides out.
    const y = this.rowY(from) - GAP;
    const height = this.rowY(to) - GAP - y;
    const left = Math.min(...clients.map((client) => this.laneX(client))) - 14;
    const width = (key === '' ? this.width : this.keyX(key) + KEY - 16) - left;
    return `<rect class="clash" x="${left}" y="${y}" width="${width}" height="${height}" stroke-dasharray="${width} ${height}"/><text class="alarm" x="6" y="${y + 23}">${clients.length} inside</text>`;
  }

  row(row: number): string {
    const step = this.story.rows[row];
    if (!step) return '';
    const y = this.rowY(row);
    if (step.kind === 'clock')
      return `<path class="time" d="M${LEFT - 24} ${y}H${this.width - 8}"/><text class="clock" x="6" y="${y + 4}">${timeText(step.nowMs)}</text>`;
    const client = step.client || 'keylatch';
    const x = this.laneX(client);
    const sign = step.kind === 'enter' ? 'believes itself inside' : step.kind === 'leave' ? 'is outside' : undefined;
    const text = sign ?? (step.kind === 'receive' ? 'receives' : step.text);
    const [reply = ''] = step.printed;
    const more = step.printed.length > 1 ? ' …' : '';
    const answer =
      sign === undefined
        ? `<tspan class="reply" x="${x + 12}" dy="14">${escaped(cut(reply, TEXT_MAX))}${more}</tspan>`
        : '';
    return `<g class="${this.colour(client)}"><circle class="dot" cx="${x}" cy="${y}" r="4"/><text class="said${sign === undefined ? '' : ' mark'}" x="${x + 12}" y="${y + 3}"><tspan class="by">${escaped(cut(client, 8))}</tspan> ${escaped(cut(text, TEXT_MAX))}${answer}</text></g>`;
  }

  private bar({ client, from, to }: Span, x: number, width: number, kind: string): string {
    const y = this.rowY(from);
    return `<rect class="${kind} ${this.colour(client)}" x="${x - width / 2}" y="${y}" width="${width}" height="${Math.max(this.rowY(to) - y, 4)}" rx="3"/>`;
  }

  private laneX(client: string): number {
    return LEFT + this.story.clients.indexOf(client) * LANE;
  }

  private keyX(key: string): number {
    return this.width - (this.story.keys.length - this.story.keys.indexOf(key)) * KEY + 12;
  }

  /** The first position that is free where a hold begins. */
  private slotsAt({ key, from }: Span): readonly [own: number, last: number] {
    const taken = [...this.slots].flatMap(([span, [slot]]) => (span.key === key && span.to > from ? [slot] : []));
    let own = 0;
    while (taken.includes(own)) own += 1;
    return [own, Math.max(own, ...taken)];
  }

  private rowY(row: number): number {
    return TOP + row * ROW;
  }

  private colour(client: string): string {
    return `c${(this.story.clients.indexOf(client) % COLOURS) + 1}`;
  }
}

/** The picture in sentences: a summary, then each hold and each clash. */
export function wordsOf({ rows, clients, holds, clashes }: Story): string[] {
  const which =
    clashes.length === 0
      ? 'no two believe that they hold the same'
      : `${clashes.length === 1 ? 'once' : `${clashes.length} times`}, several believe that they hold the same`;
  const summary = `${rows.length} steps of ${clients.length === 1 ? '1 client' : `${clients.length} clients`}: ${which}.`;
  const end = (to: number): string => (to === rows.length ? 'the end' : `step ${to + 1}`);
  const held = holds.map(({ client, key, from, to, untilMs }) => {
    const lease = untilMs === undefined ? 'without a deadline' : `until ${timeText(untilMs)}`;
    return `${client} takes ${key} in step ${from + 1} ${lease}, and it holds it up to ${end(to)}.`;
  });
  const met = clashes.map(({ clients: names, key, from, to }) => {
    const what = key === '' ? 'that they are inside' : `that they hold ${key}`;
    return `From step ${from + 1} to ${end(to)}, ${names.join(' and ')} believe ${what}.`;
  });
  return [summary, ...met, ...held];
}

function timeText(ms: number): string {
  return isoText(ms)
    .slice(11, 23)
    .replace(/\.000$/, '');
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** Text inside of XML, without characters that it cannot contain. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Rules of the picture, on the page and in files: --g ground, --i text, --s and --l fainter, --r and --w alarm, --c client. */
export const PICTURE_RULES = `text{font:12px ui-sans-serif,system-ui,sans-serif;fill:var(--i);paint-order:stroke;stroke:var(--g);stroke-width:3px}
.ground{fill:var(--g)}.life,.time{fill:none;stroke:var(--l)}.time{stroke-dasharray:3 3}
.said,.until,.reply{font-family:ui-monospace,monospace;font-size:11px}.reply,.until,.clock,.key{fill:var(--s)}
.name,.by,.alarm{font-weight:600}.name,.key{text-anchor:middle}.mark{font-style:italic}.clash{fill:var(--w);stroke:var(--r)}
.hold,.belief,.dot,.name,.by{fill:var(--c,var(--i))}.belief{fill-opacity:.45}.alarm{fill:var(--r)}`;
