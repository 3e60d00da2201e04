/** From a prepared flight and its contrails to the rest of its columns and what is known of it as a whole. */
import type { Payload } from '@contrails/physics/aircraft';
import {
  contrailCo2eKg,
  contrailMetrics,
  type FlightBalance,
  type MetricsBlock,
} from '@contrails/physics/climate';
import { CO2E_HORIZONS, type Co2eSet } from '@contrails/physics/cocip';
import type { TOTAL_FIELDS } from '@contrails/physics/fields';
import type { FlightFacts as EvaluationFacts } from '@contrails/physics/flight';
import { sumIgnoringNaN } from '@contrails/physics/numerics';
import { fuelOf } from './aircraft.ts';
import type { FinishedRows } from './contrail-rows.ts';
import type { FinishedStates } from './contrail-states.ts';
import type { ClimateOptions } from './flight-climate.ts';
import { balanceOf } from './flight-climate.ts';
import type { FlightContrails } from './follow-flights.ts';
import type { Evaluation, OutputColumns, PreparedFlight } from './prepare-flight.ts';
import { countImpossibleSpeeds, countUnfollowed, type FlightWarnings } from './warnings.ts';

/** What is found about a flight as a whole. */
export interface FlightFacts {
  /** The entry of the databank that was used: the successor of one that was superseded. */
  readonly engineUid: string | null;
  /** Null when the flight gives its particles. */
  readonly nvpmDataSource: string | null;
  /** Type whose parameters were used; null when the flight gives everything that they are for. */
  readonly performanceType?: string | null;
  /** Null when the flight gives its mass. */
  readonly load?: Pick<Payload, 'passengerLoadFactor' | 'cargoLoadFactor'> | null;
  readonly totals?: FlightTotals;
  readonly climate?: FlightBalance;
  /** GeoJSON features of the contrail, step by step, with commas between them. */
  readonly contrail?: Uint8Array<ArrayBuffer>;
  readonly contrailRows?: FinishedRows;
  readonly contrailStates?: FinishedStates;
  readonly warnings?: FlightWarnings;
}

/** Fills the columns of the contrails and returns what is known about the flight. */
export function finishFlight(
  prepared: PreparedFlight | undefined,
  contrails: FlightContrails | undefined,
  { includes, needs, params, weatherEndMs, atr20Factor, climate }: Evaluation,
): FlightFacts {
  if (prepared === undefined) return { engineUid: null, nvpmDataSource: null };
  const { out } = prepared.task;
  const { facts } = prepared.evaluated.evaluation;
  const { segmentLengthM } = prepared.evaluated.motion;
  if (contrails !== undefined) reportContrails(out, contrails, prepared.air.inside, climate);
  contrails?.radiation?.report(out, contrails.energyForcing, atr20Factor);
  const energyForcing = out.energy_forcing;
  const balance =
    prepared.functions &&
    energyForcing &&
    balanceOf(
      prepared.functions,
      prepared.evaluated,
      sumIgnoringNaN(energyForcing),
      fuelOf(prepared.task.about),
      climate,
    );
  const wantsTotals = includes.includes('emissions') || includes.includes('co2e');
  return {
    engineUid: facts.engineUidUsed,
    nvpmDataSource: facts.nvpmDataSource,
    performanceType: facts.performanceType,
    load: facts.payload && {
      passengerLoadFactor: facts.payload.passengerLoadFactor,
      cargoLoadFactor: facts.payload.cargoLoadFactor,
    },
    ...(wantsTotals ? { totals: totalsOf(facts, needs.emissions, out.energy_forcing, climate) } : {}),
    ...(balance === undefined ? {} : { climate: balance }),
    ...(contrails?.lines === undefined ? {} : { contrail: contrails.lines.finish() }),
    ...(contrails?.rows === undefined ? {} : { contrailRows: contrails.rows.finish() }),
    ...(contrails?.states === undefined
      ? {}
      : { contrailStates: contrails.states.finish(contrails.energyForcing) }),
    warnings: {
      notes: facts.warnings,
      windless: prepared.air.windless,
      ...countImpossibleSpeeds(prepared.evaluated.flight, segmentLengthM),
      ...(contrails
        ? countUnfollowed(segmentLengthM, contrails, params)
        : { longSegments: 0, longLasting: 0, tooFew: 0 }),
      cutShort: contrails?.weatherEnd.cutShort ?? 0,
      weatherEndMs,
      withoutForcing: contrails?.withoutForcing ?? 0,
      adrift: contrails?.adrift ?? 0,
    },
  };
}

/**
 * Where contrails were followed, a waypoint without one has 0; where none was, waypoints outside the weather are
 * unknown, as the field's reference has it.
 */
function reportContrails(
  out: OutputColumns,
  contrails: FlightContrails,
  inside: Uint8Array,
  climate: ClimateOptions,
): void {
  const { isFollowed, persistent1 } = contrails;
  const equivalents = CO2E_HORIZONS.flatMap((horizon) => {
    const column = out[`co2e_${climate.metric}${horizon}`];
    return column === undefined ? [] : [{ column, horizon }];
  });
  for (let i = 0; i < inside.length; i++) {
    const unknown = inside[i] === 0;
    const energy = isFollowed ? (contrails.energyForcing[i] as number) : unknown ? Number.NaN : 0;
    const age = isFollowed ? (contrails.age[i] as number) / 60 : unknown ? Number.NaN : 0;
    if (out.energy_forcing !== undefined) out.energy_forcing[i] = energy;
    if (out.contrail_age !== undefined) out.contrail_age[i] = age;
    if (out.initially_persistent !== undefined) {
      out.initially_persistent[i] = unknown ? Number.NaN : +(isFollowed && persistent1[i] === 1);
    }
    for (const { column, horizon } of equivalents) column[i] = contrailCo2eKg(energy, horizon, climate);
  }
}

/** Sums over a flight; what is unknown on a leg does not count in them. */
export type FlightTotals = Co2eTotals & Readonly<Partial<Record<keyof typeof TOTAL_FIELDS, number>>>;

/** Contrails under every metric, and how that was formed. */
interface Co2eTotals {
  readonly metrics?: MetricsBlock;
  readonly co2e_efficacy?: boolean;
  readonly co2e_set?: Co2eSet;
}

function totalsOf(
  { totals, totalFuelBurnKg }: Pick<EvaluationFacts, 'totals' | 'totalFuelBurnKg'>,
  withIndices: boolean,
  energyForcing: Float64Array | undefined,
  climate: ClimateOptions,
): FlightTotals {
  return {
    fuel_burn: totalFuelBurnKg,
    co2: totals.co2,
    h2o: totals.h2o,
    so2: totals.so2,
    sulphates: totals.sulphates,
    organic_carbon: totals.organicCarbon,
    ...(withIndices ? indexTotals(totals) : {}),
    ...(energyForcing === undefined ? {} : contrailTotals(sumIgnoringNaN(energyForcing), climate)),
  };
}

function indexTotals({
  nox,
  co,
  hc,
  nvpmMass,
  nvpmNumber,
}: EvaluationFacts['totals']): Partial<FlightTotals> {
  return { nox, co, hc, nvpm_mass: nvpmMass, nvpm_number: nvpmNumber };
}

function contrailTotals(energyForcingJ: number, climate: ClimateOptions): Partial<FlightTotals> {
  const equivalents = CO2E_HORIZONS.map((horizon) => [
    `co2e_gwp${horizon}`,
    contrailCo2eKg(energyForcingJ, horizon, { ...climate, metric: 'gwp' }),
  ]);
  return {
    energy_forcing: energyForcingJ,
    ...Object.fromEntries(equivalents),
    metrics: contrailMetrics(energyForcingJ, climate),
    co2e_efficacy: climate.efficacy,
    co2e_set: climate.set,
  };
}
