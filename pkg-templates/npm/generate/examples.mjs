// Requests and replies of session files as JavaScript. What cannot be written in one short line is left out.

/** Arguments of a request with plain or quoted words; undefined with escapes in quotes. */
export function readSession(request) {
  const words = request.match(/"[^"\\]*"|'[^'\\]*'|[^\s"']+/g) ?? [];
  if (words.join(' ').length !== request.trim().replace(/\s+/g, ' ').length) return undefined;
  return words.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}

/** A text of a program. */
export function quoted(text) {
  return `'${text.replaceAll("'", "\\'")}'`;
}

/** One line of redis-cli as JavaScript. */
function scalar(line) {
  const [, integer] = /^\(integer\) (-?\d+)$/.exec(line) ?? [];
  const [, double] = /^\(double\) (-?[\d.]+)$/.exec(line) ?? [];
  const [, text] = /^"([^"\\]*)"$/.exec(line) ?? [];
  if (integer !== undefined) return Number.isSafeInteger(Number(integer)) ? integer : `${integer}n`;
  if (double !== undefined) return double;
  if (text !== undefined) return quoted(text);
  if (line === '(nil)') return 'null';
  return /^[A-Za-z]+$/.test(line) ? quoted(line) : undefined;
}

/** Items of a flat array; undefined for nested ones. */
function items(lines) {
  if (/^\(empty (array|set|hash)\)$/.test(lines[0])) return [];
  const all = lines.map((line, index) => {
    const [, number, item] = /^\s*(\d+)\) (.*)$/.exec(line) ?? [];
    return Number(number) === index + 1 ? scalar(item) : undefined;
  });
  return all.includes(undefined) ? undefined : all;
}

/** Replies of sessions are those of RESP2: sets and maps are flat there, and doubles are text. */
function rebuilt(all, notation) {
  if (notation.startsWith('set(')) return `Set {${all.length > 0 ? ` ${all.join(', ')} ` : ''}}`;
  if (notation.startsWith('map(')) {
    const pairs = all.flatMap((key, index) => (index % 2 === 0 ? [`${key} => ${all[index + 1]}`] : []));
    return `Map {${pairs.length > 0 ? ` ${pairs.join(', ')} ` : ''}}`;
  }
  return `[${all.map((one) => (notation.includes('double') ? unquoted(one) : one)).join(', ')}]`;
}

function unquoted(text) {
  return text.replace(/^'(-?[\d.]+)'$/, '$1');
}

/** A reply as JavaScript shows it; undefined if it takes more than a line. */
export function literal(lines, row) {
  const one = lines.length === 1 ? scalar(lines[0]) : undefined;
  if (one !== undefined && !/^(array|set|map)\([^|]*\)$/.test(row.reply))
    return row.reply.startsWith('double') ? unquoted(one) : one;
  const all = items(lines);
  if (all === undefined || !/^(array|set|map)/.test(row.reply) || row.reply.startsWith('array(array')) return undefined;
  return rebuilt(all, row.reply);
}
