/** Geospatial indexes: sorted sets with positions on the globe as scores. */
import type { Argument } from '../../base/argument.js';
import type { Carried, ResultMode } from '../../base/result-mode.js';
import { Executor } from '../executor.js';
import { Row } from '../../host/generated/convention.js';
import { methodAt, type Pairs, pairsOf, refusePair } from './arguments.js';
import { checked, isArgument, refuse, type Shape, tooMany } from '../../base/option-check.js';
import { CallerTypeError } from '../../base/caller-errors.js';

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
  ) & { readonly unit?: DistanceUnit | undefined };

/** At most `count` of them: the nearest, or with `any` whichever are found first. */
export type GeoCount =
  | { readonly count?: number | undefined; readonly any?: false | undefined }
  | { readonly count: number; readonly any?: boolean | undefined };

export type GeoSearchOptions = GeoCount & {
  /** From the nearest (ASC) or from the farthest (DESC); in no order by default. */
  readonly order?: 'ASC' | 'DESC' | undefined;
  /** Answer how far each is from the centre, as text in the unit of the area. */
  readonly withdist?: boolean | undefined;
  /** Answer the score that its position is. */
  readonly withhash?: boolean | undefined;
  /** Answer its position. */
  readonly withcoord?: boolean | undefined;
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
  | { readonly nx?: boolean | undefined; readonly xx?: undefined }
  | { readonly nx?: undefined; readonly xx?: boolean | undefined }
) & { /** Answer how many members moved, not only how many are new. */ readonly ch?: boolean | undefined };

/** Options of GEOSEARCHSTORE. */
export type GeoStoreOptions = GeoCount & {
  /** From the nearest (ASC) or from the farthest (DESC), which decides what `count` keeps. */
  readonly order?: 'ASC' | 'DESC' | undefined;
  /** Store the distances as scores, in the unit of the area. */
  readonly storedist?: boolean | undefined;
};

const UNITS = ['m', 'km', 'mi', 'ft'] as const;
const AREA: Shape<GeoArea> = { position: 'numbers', member: 'argument', radius: 'number', box: 'numbers', unit: UNITS };
const FOUND = { count: 'integer', any: 'flag', order: ['ASC', 'DESC'] } as const;
const SEARCH: Shape<GeoSearchOptions> = { ...FOUND, withdist: 'flag', withhash: 'flag', withcoord: 'flag' };
const STORE: Shape<GeoStoreOptions> = { ...FOUND, storedist: 'flag' };
const ADD: Shape<GeoAddOptions> = { nx: 'flag', xx: 'flag', ch: 'flag' };
const DISTANCE: Shape<{ readonly unit?: DistanceUnit | undefined }> = { unit: UNITS };

function pushArea(method: string, argv: Argument[], given: GeoArea): Argument[] {
  const area = checked(method, given, AREA, [
    ['position', 'member'],
    ['radius', 'box'],
  ]);
  const { position, member, radius, box, unit = 'm' } = area;
  if (position !== undefined) argv.push('FROMLONLAT', ...pairOf(method, 'position', position));
  else if (member !== undefined) argv.push('FROMMEMBER', member);
  else throw new CallerTypeError(`${method}: the area needs a position or a member`);
  if (box !== undefined) argv.push('BYBOX', ...pairOf(method, 'box', box), unit);
  else if (radius !== undefined) argv.push('BYRADIUS', radius, unit);
  else throw new CallerTypeError(`${method}: the area needs a radius or a box`);
  return argv;
}

function pairOf(method: string, name: string, pair: readonly number[]): readonly number[] {
  if (pair.length !== 2) refuse(method, name, 'an array of two numbers', pair);
  return pair;
}

function pushCount(method: string, argv: Argument[], options: GeoStoreOptions | GeoSearchOptions): Argument[] {
  if (options.order !== undefined) argv.push(options.order);
  if (options.count !== undefined) argv.push('COUNT', options.count);
  if (options.any && options.count === undefined) throw new CallerTypeError(`${method}: any needs a count`);
  if (options.any) argv.push('ANY');
  return argv;
}

function pushPositions(argv: Argument[], key: Argument, given: readonly unknown[]): Argument[] {
  const names = () => ({ at: methodAt('geoadd', key), name: 'member', value: 'position' });
  for (const [member, position] of pairsOf<Position>(given, names)) {
    const isPair = Array.isArray(position) && position.length === 2 && position.every(isArgument);
    if (!isArgument(member) || !isPair) refusePair(names(), member, position, '[longitude, latitude]');
    argv.push(position[0], position[1], member);
  }
  return argv;
}

export abstract class GeoCommands<C extends ResultMode, Text extends string | Uint8Array> extends Executor<C, Text> {
  /**
   * Adds members with their positions: `{ Palermo: [13.36, 38.12] }`, a Map, or pairs; or longitude, latitude and member
   * as they are typed. Returns the number of new members.
   */
  geoadd(key: Argument, places: Pairs<Position>, options?: GeoAddOptions): Carried<C, number>;
  geoadd(key: Argument, longitude: number, latitude: number, member: Argument): Carried<C, number>;
  geoadd(key: Argument, ...given: unknown[]): Carried<C, number> {
    const argv: Argument[] = ['GEOADD', key];
    if (typeof given[0] === 'number') {
      if (given.length !== 3)
        throw new CallerTypeError(`${methodAt('geoadd', key)}: expected longitude, latitude and member`);
      return this.run<number>(Row.GEOADD, pushPositions(argv, key, [[[given[2], [given[0], given[1]]]]]));
    }
    if (arguments.length > 3) tooMany('geoadd', 3, arguments.length);
    const { nx, xx, ch } = checked('geoadd', given[1] as GeoAddOptions | undefined, ADD, [['nx', 'xx']]);
    if (nx) argv.push('NX');
    if (xx) argv.push('XX');
    if (ch) argv.push('CH');
    return this.run<number>(Row.GEOADD, pushPositions(argv, key, [given[0]]));
  }

  /** The distance between two members, as text; null when one is not there. In metres by default. */
  geodist(
    key: Argument,
    from: Argument,
    to: Argument,
    unit?: DistanceUnit | { readonly unit?: DistanceUnit | undefined },
  ): Carried<C, Text | null> {
    if (arguments.length > 4) tooMany('geodist', 4, arguments.length);
    const given = typeof unit === 'object' ? checked('geodist', unit, DISTANCE).unit : unit;
    return this.execute<Text | null>(
      given === undefined ? ['GEODIST', key, from, to] : ['GEODIST', key, from, to, given],
    );
  }

  /** The members within an area: `geosearch('shops', { member: 'Palermo', radius: 200, unit: 'km' }, { order: 'ASC' })`. */
  geosearch(key: Argument, area: GeoArea): Carried<C, Text[]>;
  /** The members within an area: `geosearch('shops', { member: 'Palermo', radius: 200, unit: 'km' }, { order: 'ASC' })`. */
  geosearch<const O extends GeoSearchOptions = GeoSearchOptions>(
    key: Argument,
    area: GeoArea,
    options: O | GeoSearchOptions | undefined,
  ): Carried<C, GeoFound<O, Text>[]>;
  geosearch(key: Argument, area: GeoArea, options?: GeoSearchOptions): Carried<C, unknown[]> {
    if (arguments.length > 3) tooMany('geosearch', 3, arguments.length);
    const argv = pushArea('geosearch', ['GEOSEARCH', key], area);
    const given = checked('geosearch', options, SEARCH);
    pushCount('geosearch', argv, given);
    if (given.withcoord) argv.push('WITHCOORD');
    if (given.withdist) argv.push('WITHDIST');
    if (given.withhash) argv.push('WITHHASH');
    return this.execute<unknown[]>(argv);
  }

  /** Stores them instead, with `storedist` by their distance as a plain sorted set. Answers how many there are. */
  geosearchstore(
    destination: Argument,
    source: Argument,
    area: GeoArea,
    options?: GeoStoreOptions,
  ): Carried<C, number> {
    if (arguments.length > 4) tooMany('geosearchstore', 4, arguments.length);
    const argv = pushArea('geosearchstore', ['GEOSEARCHSTORE', destination, source], area);
    const given = checked('geosearchstore', options, STORE);
    pushCount('geosearchstore', argv, given);
    if (given.storedist) argv.push('STOREDIST');
    return this.execute<number>(argv);
  }
}
