import type { Columns, OurFlight } from './ours.ts';

export interface PeerResult {
  readonly id: string;
  readonly columns: Readonly<Record<string, readonly (number | null)[]>>;
}

export interface Deviation {
  readonly flight: number;
  readonly waypoint: number;
  readonly ours: number;
  readonly peer: number;
  readonly relative: number;
}

/** One line of the report. */
export interface Comparison {
  readonly what: string;
  readonly values: number;
  readonly within: (limit: number) => number;
  readonly worst: Deviation | undefined;
  /** Values that one side has and the other has not. */
  readonly unmatched: number;
}

/** Our column, the peer's, and how many of its units are one of ours. */
const COLUMNS: readonly (readonly [what: string, ours: string, peer: string, perUnit?: number])[] = [
  ['air temperature', 'air_temperature', 'air_temperature'],
  ['specific humidity, scaled', 'specific_humidity_scaled', 'specific_humidity'],
  ['eastward wind', 'eastward_wind', 'u_wind'],
  ['northward wind', 'northward_wind', 'v_wind'],
  ['true airspeed', 'true_airspeed', 'true_airspeed'],
  ['aircraft mass', 'aircraft_mass', 'aircraft_mass'],
  ['fuel flow', 'fuel_flow', 'fuel_flow'],
  ['engine efficiency', 'engine_efficiency', 'engine_efficiency'],
  ['NOx index', 'nox_ei', 'nox_ei'],
  ['CO index', 'co_ei', 'co_ei'],
  ['HC index', 'hc_ei', 'hc_ei'],
  ['nvPM number index', 'nvpm_ei_n', 'nvpm_ei_n'],
  ['nvPM mass index', 'nvpm_ei_m', 'nvpm_ei_m'],
];

/** What has to be equal. */
const EXACT: typeof COLUMNS = [
  ['Schmidt–Appleman criterion', 'sac', 'sac'],
  ['initially persistent', 'initially_persistent', 'persistent_1'],
  ['age of contrails', 'contrail_age', 'contrail_age', 60],
];

/** Share of a flight's largest value that a waypoint is measured by where its own value nearly vanishes. */
const CANCELLED = 0.01;

export function compareFlights(ours: readonly OurFlight[], peer: readonly PeerResult[]) {
  const tables = ours.map(({ columns }) => columns);
  const energy = (what: string, of: (flight: OurFlight) => Float64Array, scale: Scale) =>
    gather(what, ours.map(of), peerColumn(peer, 'ef'), scale);
  const columns = (list: typeof COLUMNS) =>
    list.map(([what, name, theirs, perUnit = 1]) =>
      gather(
        what,
        tables.map((table) => table[name] as Float64Array),
        peerColumn(peer, theirs, perUnit, name === 'initially_persistent' ? knownFlag(tables) : undefined),
      ),
    );
  const asServed = ({ columns: { energy_forcing } }: OurFlight) => energy_forcing as Float64Array;
  const largest = peer.map(({ columns: { ef = [] } }) =>
    Math.max(...ef.map((joule) => Math.abs(joule ?? 0))),
  );
  const beside: Scale = (f, _, theirs) => Math.abs(theirs) + CANCELLED * (largest[f] as number);
  const gross: Scale = (f, i, theirs) => Math.max(Math.abs(theirs), ours[f]?.grossForcing[i] ?? 0);
  return {
    exact: columns(EXACT),
    air: columns(COLUMNS),
    waypoints: energy('energy forcing of waypoints, as served', asServed, beside),
    rounded: energy('… with the rounding of the peer', ({ roundedForcing }) => roundedForcing, beside),
    apart: energy('… as served, relative to longwave and shortwave separately', asServed, gross),
    flights: totals('energy forcing of flights, as served', ours.map(asServed), peerColumn(peer, 'ef')),
  };
}

type Scale = (flight: number, waypoint: number, peer: number) => number;

const byItself: Scale = (_, __, theirs) => Math.abs(theirs);

function gather(
  what: string,
  ours: readonly Float64Array[],
  peer: readonly Float64Array[],
  scale: Scale = byItself,
): Comparison {
  const deviations: number[] = [];
  let worst: Deviation | undefined;
  let unmatched = 0;
  ours.forEach((column, flight) => {
    column.forEach((value, waypoint) => {
      const theirs = peer[flight]?.[waypoint] ?? Number.NaN;
      if (Number.isNaN(value) !== Number.isNaN(theirs)) unmatched += 1;
      if (Number.isNaN(value) || Number.isNaN(theirs)) return;
      const relative = value === theirs ? 0 : Math.abs(value - theirs) / scale(flight, waypoint, theirs);
      deviations.push(relative);
      if (relative > (worst?.relative ?? 0))
        worst = { flight, waypoint, ours: value, peer: theirs, relative };
    });
  });
  const within = (limit: number) => deviations.filter((deviation) => deviation <= limit).length;
  return { what, values: deviations.length, within, worst, unmatched };
}

/** Flight sums relative to the sum of magnitudes: warming and cooling waypoints may cancel. */
function totals(what: string, ours: readonly Float64Array[], peer: readonly Float64Array[]): Comparison {
  const sum = (column: Float64Array) => column.reduce((total, joule) => total + (joule || 0), 0);
  const magnitude = peer.map((column) => sum(column.map(Math.abs)));
  const single = (columns: readonly Float64Array[]) => columns.map((column) => Float64Array.of(sum(column)));
  return gather(what, single(ours), single(peer), (f) => magnitude[f] as number);
}

function peerColumn(
  peer: readonly PeerResult[],
  name: string,
  perUnit = 1,
  missing: (flight: number, waypoint: number) => number = () => Number.NaN,
): Float64Array[] {
  return peer.map(({ columns }, flight) =>
    Float64Array.from(columns[name] ?? [], (value, i) =>
      value === null ? missing(flight, i) : value / perUnit,
    ),
  );
}

/** The peer leaves the flag open where no contrail forms; ours is false where weather exists. */
const knownFlag = (tables: readonly Columns[]) => (flight: number, waypoint: number) =>
  Number.isNaN(tables[flight]?.air_temperature?.[waypoint]) ? Number.NaN : 0;
