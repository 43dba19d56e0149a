/** Where the object of a namespace is: its jurisdiction, which is part of its id, and the region in which it is made. */
import { CallerTypeError } from '../../base/caller-errors.js';

/** Regions near which the platform makes an object. */
export const LOCATION_HINTS = [
  'wnam',
  'enam',
  'sam',
  'weur',
  'eeur',
  'apac',
  'apac-ne',
  'apac-se',
  'oc',
  'afr',
  'me',
] as const;
/** Jurisdictions in which an object runs and stores its data. */
export const JURISDICTIONS = ['eu', 'us', 'fedramp', 'fedramp-high'] as const;

export type LocationHint = (typeof LOCATION_HINTS)[number];
export type Jurisdiction = (typeof JURISDICTIONS)[number];

/** Part of the binding of a Durable Object namespace that requests need. */
export interface KeylatchNamespace {
  idFromName(name: string): unknown;
  get(id: never, options?: never): unknown;
  jurisdiction?(jurisdiction: never): unknown;
}

export interface Placement {
  readonly locationHint: LocationHint | undefined;
  readonly jurisdiction: Jurisdiction | undefined;
}

/** The options that place objects, checked; `method` is named in errors. */
export function placementOf(method: string, { locationHint, jurisdiction }: Partial<Placement>): Placement {
  checkOneOf(method, 'locationHint', locationHint, LOCATION_HINTS);
  checkOneOf(method, 'jurisdiction', jurisdiction, JURISDICTIONS);
  return { locationHint, jurisdiction };
}

function checkOneOf(method: string, option: string, value: unknown, names: readonly string[]): void {
  if (value !== undefined && !names.includes(value as string))
    throw new CallerTypeError(`${method}: ${option} must be one of ${names.join(', ')}`);
}

/** A stub of the object with a name. One that failed is of no more use, so each request has its own. */
export function stubOf(namespace: KeylatchNamespace, { jurisdiction, locationHint }: Placement, name: string): unknown {
  const objects = jurisdiction === undefined ? namespace : within(namespace, jurisdiction);
  const id = objects.idFromName(name) as never;
  return locationHint === undefined ? objects.get(id) : objects.get(id, { locationHint } as never);
}

function within(namespace: KeylatchNamespace, jurisdiction: Jurisdiction): KeylatchNamespace {
  if (typeof namespace.jurisdiction !== 'function')
    throw new CallerTypeError('keylatchFetch: this binding has no jurisdictions');
  return namespace.jurisdiction(jurisdiction as never) as KeylatchNamespace;
}
