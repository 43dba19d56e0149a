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

const TABLE = 'keylatch_shards';
const WHOLE: Shard = { index: 0, count: 1 };

export class ShardTable {
  readonly #storage: Pick<DurableObjectStorage, 'sql'>;
  /** Whether the object has data, which is that of a whole namespace if no number is stored. */
  readonly #hasData: () => boolean;
  #made: Shard | undefined;

  constructor(storage: Pick<DurableObjectStorage, 'sql'>, hasData: () => boolean) {
    this.#storage = storage;
    this.#hasData = hasData;
    this.#made = this.#read();
  }

  /** The shard that this object is, if its namespace has several. */
  get shard(): Shard | undefined {
    return this.#made;
  }

  /**
   * Whether the object is what a Worker takes it for; it becomes that if it is new. Throws Failure if it is not. False: the number
   * has to be confirmed by the first shard before this one is made.
   */
  admits(claim: ShardClaim = WHOLE): boolean {
    const made = this.#made ?? (this.#hasData() ? WHOLE : undefined);
    if (made !== undefined) {
      if (made.count !== claim.count) throw new Failure(409, refusal(made.count, claim.count));
      return true;
    }
    if (claim.count === 1) return true;
    if (claim.index > 0 && claim.isConfirmed !== true) return false;
    this.#make({ index: claim.index, count: claim.count });
    return true;
  }

  #make(shard: Shard): void {
    const { sql } = this.#storage;
    sql.exec(
      `CREATE TABLE ${TABLE} (shard INTEGER PRIMARY KEY, shards INTEGER NOT NULL, first_slot INTEGER NOT NULL, last_slot INTEGER NOT NULL)`,
    );
    sql.exec(`INSERT INTO ${TABLE} VALUES (?, ?, ?, ?)`, shard.index, shard.count, ...rangeOf(shard));
    this.#made = shard;
  }

  #read(): Shard | undefined {
    const { sql } = this.#storage;
    if (sql.exec('SELECT 1 FROM sqlite_master WHERE name = ?', TABLE).toArray().length === 0) return undefined;
    const [row] = sql.exec(`SELECT shard AS "index", shards AS count FROM ${TABLE}`).toArray();
    return row as unknown as Shard;
  }
}

function refusal(made: number, claimed: number): string {
  const noun = made === 1 ? 'shard' : 'shards';
  return `SHARDS this namespace was made with ${made} ${noun}, and the option shards is ${claimed}: set it to ${made}, or change the number with "keylatch reshard"`;
}
