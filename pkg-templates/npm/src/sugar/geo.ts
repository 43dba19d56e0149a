/** Geospatial indexes: sorted sets with positions on the globe as scores. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../generated/convention.js';
import { entriesOf, type Pairs } from './arguments.js';

/** Degrees: longitude first, east and north positive. */
export type Position = readonly [longitude: number, latitude: number];

/** Metres, kilometres, miles, feet. */
export type DistanceUnit = 'm' | 'km' | 'mi' | 'ft';

/** Around a position or around a member; a circle, or a box of this width and height. In metres by default. */
export type GeoArea = (
  | { readonly position: Position; readonly member?: undefined }
  | { readonly member: Argument; readonly position?: undefined }
) &
  (
    | { readonly radius: number; readonly box?: undefined }
    | { readonly box: readonly [width: number, height: number]; readonly radius?: undefined }
  ) & { readonly unit?: DistanceUnit };

/** At most `count` of them: the nearest, or with `any` whichever are found first. */
export type GeoCount =
  | { readonly count?: undefined; readonly any?: undefined }
  | { readonly count: number; readonly any?: boolean };

export type GeoSearchOptions = GeoCount & {
  /** From the nearest (ASC) or from the farthest (DESC); in no order by default. */
  readonly order?: 'ASC' | 'DESC';
  /** Answer how far each is from the centre, as text in the unit of the area. */
  readonly withdist?: boolean;
  /** Answer the score that its position is. */
  readonly withhash?: boolean;
  readonly withcoord?: boolean;
};

type Asked<Options, Name extends string, Part extends unknown[]> = Name extends keyof Options
  ? Options[Name] extends true
    ? Part
    : []
  : [];

type Details<Options, Text> = [
  ...Asked<Options, 'withdist', [distance: Text]>,
  ...Asked<Options, 'withhash', [hash: number]>,
  ...Asked<Options, 'withcoord', [position: [longitude: number, latitude: number]]>,
];

/** A member, or with one of the `with..` options a tuple that starts with it. */
export type GeoFound<Options, Text> =
  Details<Options, Text> extends [] ? Text : [member: Text, ...details: Details<Options, Text>];

export type GeoAddOptions = (
  | { readonly nx?: boolean; readonly xx?: undefined }
  | { readonly nx?: undefined; readonly xx?: boolean }
) & { /** Answer how many members moved, not only how many are new. */ readonly ch?: boolean };

function pushArea(argv: Argument[], { position, member, radius, box, unit = 'm' }: GeoArea): Argument[] {
  if (position === undefined) argv.push('FROMMEMBER', member);
  else argv.push('FROMLONLAT', ...position);
  if (box === undefined) argv.push('BYRADIUS', radius, unit);
  else argv.push('BYBOX', ...box, unit);
  return argv;
}

function pushCount(argv: Argument[], options: GeoCount & { readonly order?: 'ASC' | 'DESC' }): Argument[] {
  if (options.order !== undefined) argv.push(options.order);
  if (options.count !== undefined) argv.push('COUNT', options.count);
  if (options.any) argv.push('ANY');
  return argv;
}

export abstract class GeoCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /** Members with their positions: `{ Palermo: [13.36, 38.12] }`, a Map, or pairs. Answers how many are new. */
  geoadd(key: Argument, places: Pairs<Position>, options: GeoAddOptions = {}): Carried<C, number> {
    const argv: Argument[] = ['GEOADD', key];
    for (const name of ['nx', 'xx', 'ch'] as const) if (options[name]) argv.push(name.toUpperCase());
    for (const [member, [longitude, latitude]] of entriesOf(places)) argv.push(longitude, latitude, member);
    return this.run<number>(Row.GEOADD, argv);
  }

  /** The distance between two members, as text; null when one is not there. In metres by default. */
  geodist(key: Argument, from: Argument, to: Argument, unit?: DistanceUnit): Carried<C, Text | null> {
    return this.execute<Text | null>(
      unit === undefined ? ['GEODIST', key, from, to] : ['GEODIST', key, from, to, unit],
    );
  }

  /** The members within an area: `geosearch('shops', { member: 'Palermo', radius: 200, unit: 'km' }, { order: 'ASC' })`. */
  // biome-ignore lint/complexity/noBannedTypes: the type of a call without options.
  geosearch<const O extends GeoSearchOptions = {}>(
    key: Argument,
    area: GeoArea,
    options?: O,
  ): Carried<C, GeoFound<O, Text>[]> {
    const argv = pushArea(['GEOSEARCH', key], area);
    if (options !== undefined) {
      pushCount(argv, options);
      for (const name of ['withcoord', 'withdist', 'withhash'] as const)
        if (options[name]) argv.push(name.toUpperCase());
    }
    return this.execute<GeoFound<O, Text>[]>(argv);
  }

  /** Stores them instead, with `storedist` by their distance as a plain sorted set. Answers how many there are. */
  geosearchstore(
    destination: Argument,
    source: Argument,
    area: GeoArea,
    options: GeoCount & { readonly order?: 'ASC' | 'DESC'; readonly storedist?: boolean } = {},
  ): Carried<C, number> {
    const argv = pushCount(pushArea(['GEOSEARCHSTORE', destination, source], area), options);
    if (options.storedist) argv.push('STOREDIST');
    return this.execute<number>(argv);
  }
}
