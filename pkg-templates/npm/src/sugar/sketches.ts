/** Sketches (HyperLogLog): how many different things were seen, within a percent and in 12 KB at most. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Row } from '../generated/convention.js';
import { GeoCommands } from './geo.js';

export abstract class SketchCommands<C extends ResultMode, Text extends string | Uint8Array> extends GeoCommands<
  C,
  Text
> {
  /** 1 when the estimate may have changed. */
  pfadd(key: Argument, ...elements: Argument[]): Carried<C, 0 | 1> {
    return this.run<0 | 1>(Row.PFADD, ['PFADD', key, ...elements]);
  }

  /** About how many different elements were added to any of the keys. */
  pfcount(...keys: Argument[]): Carried<C, number> {
    return this.run<number>(Row.PFCOUNT, ['PFCOUNT', ...keys]);
  }

  /** Makes the destination what it were if everything had been added there as well. */
  pfmerge(destination: Argument, ...sources: Argument[]): Carried<C, 'OK'> {
    return this.run<'OK'>(Row.PFMERGE, ['PFMERGE', destination, ...sources]);
  }
}
