/** The rows of a flight before any price: the flight itself, its levels and its shifts. */
import { rowAltitudes, type WorkingTrack } from '@contrails/physics/planning';
import type { SharedWeather } from '../flights/air.ts';
import { aircraftOf } from '../flights/aircraft.ts';
import type { FlightToPlan } from './flight-to-plan.ts';
import type { RowTarget } from './row.ts';
import type { FlightPlanInput, RowOutcome } from './rows.ts';
import { evaluateRows, type RowServices } from './run-rows.ts';

/** Energy forcing [J] of the segments of level rows by the stored contrail grids of a type; NaN where they have none. */
export type StoredForcing = (
  aircraftType: string,
  track: WorkingTrack,
  rows: readonly LevelRow[],
  signal: AbortSignal | undefined,
) => Promise<Float64Array[]>;

export interface LevelRow {
  readonly flightLevel: number;
  readonly altitudeFt: Float64Array;
  readonly timeMs: Float64Array;
}

export interface EvaluateServices extends RowServices {
  /** Forcing of the level rows from stored contrail grids; needed for `contrails: 'grid'`. */
  readonly storedForcing?: StoredForcing | undefined;
}

interface RowToFly extends RowTarget {
  readonly altitudeFt: Float64Array;
}

/** The rows of a flight, which no price changes. */
export interface EvaluatedRows {
  readonly input: FlightPlanInput;
  readonly targets: readonly RowToFly[];
  readonly outcomes: readonly RowOutcome[];
  /** Energy forcing [J] of the segments of level rows by the stored contrail grid, in the order of the rows; nothing unless it is wanted. */
  readonly storedJ: readonly (Float64Array | undefined)[];
}

export async function evaluateFlight(
  flight: FlightToPlan,
  weather: SharedWeather,
  services: EvaluateServices,
): Promise<EvaluatedRows> {
  const { track, cruise, about } = flight;
  const input: FlightPlanInput = {
    ...{ track, cruise, about, nvpmEiN: flight.nvpmEiN, options: flight.options },
    weather: { levels: weather.levels, radiation: weather.radiation },
  };
  const targets = rowTargets(flight);
  const skipsContrails = flight.planning.contrails === 'grid';
  const outcomes = await evaluateRows(
    input,
    targets.map(({ kind, altitudeFt }) =>
      kind === 'baseline' ? { altitudeFt, timeMs: track.timeMs } : { altitudeFt, skipsContrails },
    ),
    services,
  );
  const storedJ = skipsContrails ? await storedForcingOf(flight, targets, outcomes, services) : [];
  return { input, targets, outcomes, storedJ };
}

async function storedForcingOf(
  { track, about }: FlightToPlan,
  targets: readonly RowToFly[],
  outcomes: readonly RowOutcome[],
  { storedForcing, signal }: EvaluateServices,
): Promise<(Float64Array | undefined)[]> {
  if (storedForcing === undefined) throw new TypeError('contrails: grid needs stored grids');
  const rows = outcomes.flatMap(({ altitudeFt, timeMs }, r) => {
    const { flightLevel = null } = targets[r] ?? {};
    return flightLevel === null || timeMs === null ? [] : [{ r, flightLevel, altitudeFt, timeMs }];
  });
  const found = await storedForcing(about.aircraftType ?? '', track, rows, signal);
  return outcomes.map((_, r) => found[rows.findIndex((row) => row.r === r)]);
}

function rowTargets({ track, cruise, planning, about }: FlightToPlan): RowToFly[] {
  const ceiling = aircraftOf(about)?.maxFlightLevel ?? Number.POSITIVE_INFINITY;
  const at = (targetFt: (waypoint: number) => number) => rowAltitudes(track, cruise, targetFt);
  return [
    { kind: 'baseline', flightLevel: null, shiftFt: null, altitudeFt: track.altitudeFt },
    ...planning.flightLevels
      .filter((flightLevel) => flightLevel <= ceiling)
      .map((flightLevel) => ({
        ...{ kind: 'level' as const, flightLevel, shiftFt: null },
        altitudeFt: at(() => 100 * flightLevel),
      })),
    ...(planning.kind === 'levels' ? planning.shiftsFt : []).map((shiftFt) => ({
      ...{ kind: 'shift' as const, flightLevel: null, shiftFt },
      altitudeFt: at((i) => (track.altitudeFt[i] as number) + shiftFt),
    })),
  ];
}
