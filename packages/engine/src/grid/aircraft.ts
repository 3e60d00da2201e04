/** The aircraft that contrail grids are computed for. */

/** Types of `/v0/grid/cocip`, each with its most common engine. */
export const COCIP_AIRCRAFT_TYPES = [
  'A320',
  'A20N',
  'A321',
  'A319',
  'A21N',
  'A333',
  'A350',
  'B737',
  'B738',
  'B789',
  'B77W',
] as const;

export type CocipAircraftType = (typeof COCIP_AIRCRAFT_TYPES)[number];

/** Classes of the forecast: one type with one engine represents each. */
const AIRCRAFT_CLASSES = {
  default: { type: 'B738', engineUid: '01P11CM116' },
  low_e: { type: 'B789', engineUid: '01P17GE211' },
  high_e: { type: 'A320', engineUid: '01P10IA021' },
} as const satisfies Record<string, { type: CocipAircraftType; engineUid: string }>;

export type AircraftClass = keyof typeof AIRCRAFT_CLASSES;

export const AIRCRAFT_CLASS_NAMES = [
  'default',
  'low_e',
  'high_e',
] as const satisfies readonly AircraftClass[];

/** What one computation is for. */
export interface GridAircraft {
  /** As it is served. */
  readonly type: CocipAircraftType;
  /** The most common one of the type when it is not given. */
  readonly engineUid?: string;
}

/** The class `default` has the most common engine of its type, so its grid and that of the type are one. */
export function aircraftOfClass(name: AircraftClass): GridAircraft {
  const { type, engineUid } = AIRCRAFT_CLASSES[name];
  return name === 'default' ? { type } : { type, engineUid };
}

/** Part of the keys of products. */
export function aircraftName({ type, engineUid }: GridAircraft): string {
  return engineUid === undefined ? type : `${type}-${engineUid}`;
}

export interface PlannedAircraft extends GridAircraft {
  /** The class it also represents. */
  readonly aircraftClass?: AircraftClass;
}

/** Every aircraft once: those of the classes first, because traffic is planned with them. */
export function plannedAircraft(
  classes: readonly AircraftClass[],
  types: readonly CocipAircraftType[],
): PlannedAircraft[] {
  const planned = classes.map((name): PlannedAircraft => ({ ...aircraftOfClass(name), aircraftClass: name }));
  const known = new Set(planned.map(aircraftName));
  return [...planned, ...types.filter((type) => !known.has(type)).map((type) => ({ type }))];
}
