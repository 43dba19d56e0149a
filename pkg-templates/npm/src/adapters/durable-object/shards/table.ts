/**
 * The number of shards that a namespace was made with, kept in the storage of each of its objects. A Worker with another number
 * is refused, so that no key is looked for on a shard where it never was.
 */
import { Failure } from '../../upstash/exchange.js';
import { rangeOf, type Shard } from './slots.js';

/** The shard that a Worker takes an object for. */
export interface ShardClaim extends Shard {
  /** Whether the first shard has confirmed the number. */
  readonly isConfirmed?: boolean;
}

interface Made extends Shard {
  /** The number that the namespace is to have, while it is changed: nothing is answered until then. */
  readonly closedFor: number | null;
}

const TABLE = 'keylatch_shards';
const WHOLE: Shard = { index: 0, count: 1 };

export class ShardTable {
  readonly #storage: Pick<DurableObjectStorage, 'sql'>;
  /** Whether the object has data, which is that of a whole namespace if no number is stored. */
  readonly #hasData: () => boolean;
  #made: Made | undefined;

  constructor(storage: Pick<DurableObjectStorage, 'sql'>, hasData: () => boolean) {
    this.#storage = storage;
    this.#hasData = hasData;
    this.#made = this.#read();
  }

  /** The shard that this object is, if its namespace has several. */
  get shard(): Shard | undefined {
    return this.#made !== undefined && this.#made.count > 1 ? this.#made : undefined;
  }

  /**
   * Whether the object is what a Worker takes it for; it becomes that if it is new. Throws Failure if it is not. False: the number
   * has to be confirmed by the first shard before this one is made.
   */
  admits(claim: ShardClaim = WHOLE): boolean {
    const made = this.#present();
    if (made !== undefined) {
      if (made.closedFor !== null) throw new Failure(409, closed(made.closedFor));
      if (made.count !== claim.count) throw new Failure(409, refusal(made.count, claim.count));
      return true;
    }
    if (claim.count === 1) return true;
    if (claim.index > 0 && claim.isConfirmed !== true) return false;
    this.#write({ index: claim.index, count: claim.count, closedFor: null });
    return true;
  }

  /** Answers nothing from now on, until `open`. Throws Failure if the object is another shard. */
  close(shard: Shard, closedFor: number): void {
    const made = this.#present();
    if (made !== undefined && made.count !== shard.count) throw new Failure(409, refusal(made.count, shard.count));
    this.#write({ ...shard, closedFor });
  }

  /** Whether `open` was called for this shard. Throws Failure if the object is another one, and answers. */
  isDone(shard: Shard): boolean {
    const made = this.#present();
    if (made === undefined) return false;
    if (made.closedFor !== null) return made.count === shard.count && shard.index >= shard.count;
    if (made.count !== shard.count) throw new Failure(409, refusal(made.count, shard.count));
    return true;
  }

  /** Makes the object a shard. One beyond the number of them stays closed. */
  open(shard: Shard): void {
    this.#write({ ...shard, closedFor: shard.index < shard.count ? null : shard.count });
  }

  #present(): Made | undefined {
    return this.#made ?? (this.#hasData() ? { ...WHOLE, closedFor: null } : undefined);
  }

  #write(made: Made): void {
    const { sql } = this.#storage;
    const columns =
      'shards INTEGER NOT NULL, first_slot INTEGER NOT NULL, last_slot INTEGER NOT NULL, closed_for INTEGER';
    sql.exec(`CREATE TABLE IF NOT EXISTS ${TABLE} (shard INTEGER PRIMARY KEY, ${columns})`);
    const values = [made.index, made.count, ...rangeOf(made), made.closedFor];
    sql.exec(`INSERT OR REPLACE INTO ${TABLE} VALUES (?, ?, ?, ?, ?)`, ...values);
    this.#made = made;
  }

  #read(): Made | undefined {
    const { sql } = this.#storage;
    if (sql.exec('SELECT 1 FROM sqlite_master WHERE name = ?', TABLE).toArray().length === 0) return undefined;
    const columns = 'shard AS "index", shards AS count, closed_for AS closedFor';
    return sql.exec(`SELECT ${columns} FROM ${TABLE}`).toArray()[0] as unknown as Made;
  }
}

function refusal(made: number, claimed: number): string {
  const noun = made === 1 ? 'shard' : 'shards';
  return `SHARDS this namespace was made with ${made} ${noun}, and the option shards is ${claimed}: set it to ${made}, or change the number with "keylatch reshard"`;
}

function closed(count: number): string {
  return `SHARDS the number of shards of this namespace is being changed to ${count}: when "keylatch reshard" has ended, set the option shards to ${count}`;
}
