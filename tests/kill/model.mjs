/** The state that a store should hold: filling, and for each database the number of steps that were made in it. */
import { step } from './steps.mjs';

const VALUE_BYTES = 256 * 1024;

/** Keys and values that make snapshots large, so that a save takes a while. */
export function fillingOf(megabytes) {
  const text = (index) => String.fromCharCode(97 + (index % 26)).repeat(VALUE_BYTES);
  return Array.from({ length: megabytes * 4 }, (_, index) => [`filling:${index}`, text(index)]);
}

export class Model {
  #make;
  #filling;
  #db;
  #clients;
  #made;

  /** `databases`: numbers of the databases with steps; the filling is in database 0. */
  constructor(make, databases, megabytes) {
    this.#make = make;
    this.databases = databases;
    this.#filling = fillingOf(megabytes);
    this.#begin();
  }

  #begin() {
    this.#db?.close();
    this.#db = this.#make();
    for (const [key, value] of this.#filling) this.#db.set(key, value);
    this.#clients = clientsOf(this.#db, this.databases);
    this.#made = this.databases.map(() => 0);
  }

  /** Digest after that many steps in each database. */
  digest(counts) {
    if (counts.some((count, index) => count < this.#made[index])) this.#begin();
    counts.forEach((count, index) => {
      for (; this.#made[index] < count; this.#made[index] += 1) step(this.#clients[index], this.#made[index]);
    });
    return this.#db.digestAll();
  }
}

/** A client for each database. */
function clientsOf(db, databases) {
  return databases.map((number) => {
    const client = db.client();
    client.call('SELECT', number);
    return client;
  });
}

/** Numbers of steps that an engine holds. */
export function stepsOf(db, databases) {
  const clients = clientsOf(db, databases);
  const counts = clients.map((client) => Number(client.get('steps') ?? 0));
  for (const client of clients) client.close();
  return counts;
}
