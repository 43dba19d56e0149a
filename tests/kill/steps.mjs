/** The writes of the kill test: a step depends on its number alone, so that any prefix of them can be computed again. */

/** Text that makes the log grow, so that compactions happen while the process is killed. */
const FILLING = 'x'.repeat(300);
const DEADLINE_MS = 4_102_444_800_000;

/** Runs a step, a transaction: over the steps values of every type, and keys that go again. */
export function step(db, number) {
  const transaction = db.multi().incr('steps').set('last', number);
  write(transaction, number);
  transaction.exec();
}

function write(db, number) {
  const key = `k${number % 97}`;
  switch (number % 8) {
    case 0:
      db.set(`s:${key}`, `${FILLING}${number}`);
      break;
    case 1:
      db.hset(`h:${key}`, { [number % 13]: number });
      break;
    case 2:
      db.rpush(`l:${key}`, number, number + 1);
      if (number % 3 === 0) db.ltrim(`l:${key}`, -50, -1);
      break;
    case 3:
      db.zadd(`z:${key}`, number, number % 31);
      break;
    case 4:
      db.sadd(`t:${key}`, number % 41);
      break;
    case 5:
      db.set(`d:${key}`, number, { pxat: DEADLINE_MS + number });
      break;
    case 6:
      db.del(`d:k${(number * 7) % 97}`, `h:k${(number * 5) % 97}`);
      break;
    default:
      db.append(`a:k${number % 7}`, number).getdel(`a:k${(number + 3) % 7}`);
  }
}
