/** Keys and values for random tests: of lengths around which text goes another way, and in each form it may have in memory. */

const LENGTHS = [
  0, 1, 3, 4, 8, 15, 16, 17, 23, 24, 25, 31, 32, 33, 40, 41, 62, 63, 64, 65, 99, 100, 101, 250, 400, 401, 500, 501, 512, 513, 1023, 1024, 1025, 2040, 2048, 2049,
];
/** Where the scratch area and the area of arguments end. */
const LARGE = [14_336, 16_380, 16_384, 16_385];
const WIDE = ['\u00e9', '\u0141', '\u20ac', '\u{1F600}'];
const NUMBERS = ['0', '9', '-1', '007', '9007199254740990', '-9007199254740993', '9223372036854775806'];

/** Ways to make a text of about so many characters. */
const KINDS = [
  (random, length) => 'abc'[random(3)].repeat(length),
  (random, length) => 'abcdefghijklmnopqrstuvwxyz0123456789'.slice(random(4)).repeat(1 + length / 30).slice(0, length),
  (random, length) => WIDE[random(WIDE.length)].repeat(length),
  (random) => (random(2) === 0 ? 'a' : WIDE[random(WIDE.length)]) + '\0'.repeat(random(4)),
  (random, length) => `${'v'.repeat(length)}${WIDE[random(WIDE.length)]}`,
  (random) => NUMBERS[random(NUMBERS.length)],
];

/** Families of keys by number; those of the first two want the same few places. */
const FAMILIES = [
  (number) => `key:${String.fromCharCode(48 + (number % 8), 110 - 10 * (number % 8))}`,
  (number) => `${number}:of many:the same`,
  (number) => `user:${number}`,
  (number) => `${'p'.repeat(59)}${String(number).padStart(4, '0')}`,
  (number) => `${'p'.repeat(60)}${String(number).padStart(4, '0')}`,
  (number) => 'k'.repeat(number % 70),
  (number) => `k\u00e9y ${number}`,
  (number) => ` ends blank ${number}${['', ' ', '\n', '\u00a0'][number % 4].repeat(number % 3)}`,
];

function lengthFor(random) {
  return random(200) === 0 ? LARGE[random(LARGE.length)] : LENGTHS[random(LENGTHS.length)];
}

/** A few or many keys. */
export function someKeys(random) {
  const families = [FAMILIES[random(FAMILIES.length)], FAMILIES[random(FAMILIES.length)]];
  const count = [1, 3, 8, 40, 2000][random(5)];
  const keys = Array.from({ length: count }, (_, number) => families[random(2)](number));
  if (random(3) === 0) keys.push(KINDS[random(KINDS.length)](random, lengthFor(random)));
  return keys;
}

/** A few values, most of one length: as many characters are many bytes of one and few of another. */
export function someValues(random) {
  const length = lengthFor(random);
  const kind = () => KINDS[random(KINDS.length)];
  return Array.from({ length: [3, 6, 20][random(3)] }, () => kind()(random, random(8) === 0 ? lengthFor(random) : length));
}

/** The same text: flat, joined, cut out of another, or of two bytes a character. */
export function inSomeForm(random, text) {
  const middle = text.length >> 1;
  switch (random(5)) {
    case 0: return `${text.slice(0, middle)}${text.slice(middle)}`;
    case 1: return `in front ${text} behind`.slice(9, 9 + text.length);
    case 2: return `\u20ac${text}\u20ac`.slice(1, 1 + text.length);
    default: return text;
  }
}
