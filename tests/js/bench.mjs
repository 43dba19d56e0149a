// Prints how many SET + GET pairs the built package does in a second, and a few figures beside it.
//   node tests/js/bench.mjs
import { entry } from './support/package.mjs';

const { Keylatch } = await entry('index');

const ROUNDS = 7;
const PER_ROUND = 100_000;

/** The median rate of several rounds, in thousands a second. */
function rate(run) {
  const rates = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = process.hrtime.bigint();
    for (let index = 0; index < PER_ROUND; index += 1) run(index);
    rates.push(PER_ROUND / (Number(process.hrtime.bigint() - started) / 1e9));
  }
  return Math.round(rates.sort((a, b) => a - b)[ROUNDS >> 1] / 1000);
}

const started = process.hrtime.bigint();
const db = new Keylatch();
db.ping();
const firstMs = Number(process.hrtime.bigint() - started) / 1e6;

const value = 'x'.repeat(32);
const cases = {
  'SET + GET pairs (1,000 keys, 32-byte values)': (index) => {
    const key = `user:${index % 1000}`;
    db.set(key, value);
    db.get(key);
  },
  'GET': (index) => db.get(`user:${index % 1000}`),
  'SET NX PX on a held lock': () => db.set('lock', 'me', { nx: true, px: 60_000 }),
  'INCR': () => db.incr('counter'),
};

console.log(`engine made and first reply in ${firstMs.toFixed(1)} ms`);
for (const [name, run] of Object.entries(cases)) console.log(`${String(rate(run)).padStart(7)} k/s  ${name}`);
const end = db.on('set', () => {});
console.log(`${String(rate(cases['SET + GET pairs (1,000 keys, 32-byte values)'])).padStart(7)} k/s  SET + GET pairs while somebody listens`);
end();
