/** The answer of the trajectory endpoints, as `interface.md` and the guide describe it. */

import { JsonBytes } from '@contrails/formats/json/writer';
import type { WeatherOrigin } from '@contrails/met';
import { published, TOTAL_FIELDS, unitsOf, WAYPOINT_FIELDS } from '@contrails/physics/fields';
import type { FieldError } from '@contrails/runtime/errors';
import { slices, type Work } from '@contrails/runtime/turns';
import { MODELING_VERSION } from '../modeling-version.ts';
import { describeScaling } from '../weather/humidity-scaling.ts';
import { balanceFields, climateWarnings, fuelFields, functionFields } from './climate-answer.ts';
import { contrailUnits } from './contrail-lines.ts';
import type { FlightFacts } from './finish-flight.ts';
import type { RequestFleet } from './fleet.ts';
import type { ResolvedUncertainty } from './members.ts';
import type { OutputColumn, TrajectoryModel } from './models.ts';
import type { TrajectoryOptions } from './options.ts';
import { effectiveParameters } from './parameters.ts';
import type { TrajectoryResult } from './run.ts';
import type { FlightSamples } from './sample-runs.ts';
import { describeUncertainty } from './uncertainty-answer.ts';
import { warningsOf } from './warnings.ts';

/** JSON once it is written; columns are typed arrays in the order of the request. */
export type Answer = Readonly<Record<string, unknown>>;

/** An answer, and what its reader should know; its fields are fixed, so only an answer with `include` or `resample` has a place for that. */
export interface Answered {
  readonly answer: Answer;
  readonly warnings: readonly string[];
}

export interface Computed {
  readonly model: TrajectoryModel;
  readonly fleet: RequestFleet;
  readonly options: TrajectoryOptions;
  readonly unitWarnings: readonly FieldError[];
  readonly result: TrajectoryResult;
  /** Weather of each flight. */
  readonly origins: readonly (WeatherOrigin | undefined)[];
  readonly uncertainty?: ResolvedUncertainty | undefined;
  /** Of each flight; empty without `uncertainty`. */
  readonly sampled?: readonly (FlightSamples | undefined)[];
}

/** In parts, since a fleet may have millions of values. */
export function* makeAnswer(computed: Computed): Work<Answered> {
  const { fleet, options, result } = computed;
  const ofResults = warningsOf(
    fleet,
    result.facts.map((known) => known?.warnings),
    options.resampleS,
  );
  const uncertain = uncertaintyOfAnswer(computed);
  const warnings = [
    ...computed.unitWarnings.map(({ msg }) => msg),
    ...new Set(computed.origins.flatMap((origin) => origin?.warnings ?? [])),
    ...ofResults,
    ...climateWarnings(computed),
    ...(uncertain?.warnings ?? []),
  ];
  const isTold = warnings.length > 0 && (options.includes.length > 0 || options.resampleS !== undefined);
  const answer = {
    ...(yield* fieldsOf(computed)),
    ...(uncertain === undefined ? {} : { uncertainty: uncertain.uncertainty }),
    ...(isTold ? { warnings } : {}),
  };
  return { answer, warnings };
}

function uncertaintyOfAnswer({
  fleet,
  options: { includes },
  result,
  uncertainty,
  sampled = [],
  origins,
}: Computed) {
  const nominal = result.columns.energy_forcing;
  if (uncertainty === undefined || nominal === undefined) return undefined;
  const flights = sampled.flatMap((samples, f) =>
    samples === undefined
      ? []
      : [
          {
            samples,
            id: fleet.attributes[f]?.id,
            nominal: nominal.subarray(fleet.offsets[f], fleet.offsets[f + 1]),
          },
        ],
  );
  return describeUncertainty(flights, uncertainty, {
    isFleet: Array.isArray(fleet.flightId),
    includesSamples: includes.includes('samples'),
    isEstimated: origins.some((origin) => origin?.radiation?.includes('estimated')),
  });
}

function* fieldsOf(computed: Computed): Work<Answer> {
  const { model, fleet, options, result, origins } = computed;
  const facts = result.facts.map((known) => known ?? NO_FACTS);
  const ofFlights = <T>(values: readonly T[]): T | T[] => spread(fleet, values);
  const hasEngines = model === 'emissions' || model === 'cocip' || options.includes.includes('emissions');
  const columns = Object.entries(result.columns) as [OutputColumn, Float64Array][];
  const ordered: Partial<Record<OutputColumn, Float64Array>> = {};
  for (const [name, column] of columns) ordered[name] = yield* inRequestOrder(fleet, column);
  const isFleet = Array.isArray(fleet.flightId);
  const totals = facts.map(({ totals: sums = {} }, f) => ({
    ...(isFleet ? { flight_id: fleet.attributes[f]?.id } : {}),
    ...published(TOTAL_FIELDS, sums),
  }));
  return {
    flight_id: fleet.flightId ?? Date.now() * 1000,
    ...metSource(origins, ofFlights),
    modeling_version: MODELING_VERSION,
    ...humidityScaling(options),
    ...(model === 'cocip'
      ? {
          cocip_max_contrail_age: quantity(options.maxAgeHours, 'hour'),
          cocip_dt_integration: quantity(options.dtIntegrationMinutes, 'minute'),
        }
      : {}),
    ...functionFields(computed),
    ...fuelFields(computed),
    ...(options.parameters === undefined ? {} : { parameters: effectiveParameters(model, options).values }),
    ...(yield* resampledWaypoints(fleet, options)),
    ...(hasEngines
      ? {
          nvpm_data_source: ofFlights(facts.map(({ nvpmDataSource }) => nvpmDataSource)),
          engine_uid: ofFlights(facts.map(({ engineUid }) => engineUid)),
        }
      : {}),
    ...published(WAYPOINT_FIELDS, ordered),
    ...(facts.some(({ totals: sums }) => sums !== undefined) ? { totals: isFleet ? totals : totals[0] } : {}),
    ...balanceFields(computed),
    ...(hasLines(model, options) ? { contrail: contrailOf(facts) } : {}),
    units: unitsOfAnswer(model, columns, facts, options),
  };
}

/** Contrails are followed by one model alone, and are lines unless they are wanted as rows. */
function hasLines(model: TrajectoryModel, { includes, contrailRows }: TrajectoryOptions): boolean {
  return includes.includes('contrail') && model === 'cocip' && contrailRows === undefined;
}

const TOTAL_NAMES = Object.keys(TOTAL_FIELDS) as (keyof typeof TOTAL_FIELDS)[];

const NO_FACTS: FlightFacts = { engineUid: null, nvpmDataSource: null };

function metSource(
  origins: readonly (WeatherOrigin | undefined)[],
  ofFlights: <T>(values: readonly T[]) => T | T[],
): Answer {
  const forecastTimes = origins.map((origin) =>
    origin?.referenceTime === undefined
      ? null
      : new Date(origin.referenceTime).toISOString().replace('.000Z', 'Z'),
  );
  const radiation = origins.map((origin) => origin?.radiation ?? null);
  const attribution = origins.map((origin) => origin?.attributions.join(' ') || null);
  const isAny = (values: readonly unknown[]) => values.some((value) => value !== null);
  return {
    met_source_provider: ofFlights(origins.map((origin) => origin?.provider ?? null)),
    met_source_dataset: ofFlights(origins.map((origin) => origin?.dataset ?? null)),
    met_source_product: ofFlights(origins.map((origin) => origin?.product ?? null)),
    ...(isAny(forecastTimes) ? { met_source_forecast_time: ofFlights(forecastTimes) } : {}),
    ...(isAny(radiation) ? { met_source_radiation: ofFlights(radiation) } : {}),
    ...(isAny(attribution) ? { met_source_attribution: ofFlights(attribution) } : {}),
  };
}

function humidityScaling({ scaling }: TrajectoryOptions): Answer {
  const { name, formula } = describeScaling(scaling);
  return { humidity_scaling_name: name, humidity_scaling_formula: formula };
}

/** Where the values of a resampled flight belong. */
function* resampledWaypoints(
  { columns: { timeMs, longitude, latitude, altitudeFt } }: RequestFleet,
  { resampleS }: TrajectoryOptions,
): Work<Answer> {
  if (resampleS === undefined) return {};
  const time: string[] = [];
  yield* slices(timeMs.length, (start, end) => {
    for (let i = start; i < end; i++)
      time.push(new Date(timeMs[i] as number).toISOString().replace('.000Z', 'Z'));
  });
  return { resample: quantity(resampleS, 'second'), time, longitude, latitude, altitude: altitudeFt };
}

const WAYPOINT_UNITS = { longitude: 'degrees_east', latitude: 'degrees_north', altitude: 'ft' } as const;

/** One value when all flights agree, else one for each waypoint of the request. */
function spread<T>(fleet: RequestFleet, values: readonly T[]): T | T[] {
  const [first] = values;
  if (values.every((value) => value === first)) return first as T;
  const list = new Array<T>(fleet.columns.timeMs.length);
  values.forEach((value, flight) => {
    for (let i = fleet.offsets[flight] as number; i < (fleet.offsets[flight + 1] as number); i++) {
      list[fleet.requestIndex?.[i] ?? i] = value;
    }
  });
  return list;
}

function* inRequestOrder({ requestIndex }: RequestFleet, column: Float64Array): Work<Float64Array> {
  if (requestIndex === undefined) return column;
  const ordered = new Float64Array(column.length);
  yield* slices(column.length, (start, end) => {
    for (let i = start; i < end; i++) ordered[requestIndex[i] as number] = column[i] as number;
  });
  return ordered;
}

function contrailOf(facts: readonly FlightFacts[]): JsonBytes {
  const encoder = new TextEncoder();
  const features = facts.flatMap(({ contrail }) =>
    contrail === undefined || contrail.length === 0 ? [] : contrail,
  );
  const comma = encoder.encode(',');
  return new JsonBytes([
    encoder.encode('{"type":"FeatureCollection","features":['),
    ...features.flatMap((bytes, i) => (i === 0 ? [bytes] : [comma, bytes])),
    encoder.encode(']}'),
  ]);
}

function unitsOfAnswer(
  model: TrajectoryModel,
  columns: readonly (readonly [OutputColumn, Float64Array])[],
  facts: readonly FlightFacts[],
  options: TrajectoryOptions,
): Answer {
  const { includes, resampleS, parameters } = options;
  const sums = facts.find(({ totals }) => totals !== undefined)?.totals;
  return {
    ...(resampleS === undefined ? {} : WAYPOINT_UNITS),
    ...unitsOf(
      WAYPOINT_FIELDS,
      columns.map(([name]) => name),
    ),
    ...(sums === undefined
      ? {}
      : {
          totals: unitsOf(
            TOTAL_FIELDS,
            TOTAL_NAMES.filter((name) => name in sums),
          ),
        }),
    ...(hasLines(model, options) ? { contrail: contrailUnits(includes.includes('radiation')) } : {}),
    ...(parameters === undefined ? {} : { parameters: effectiveParameters(model, options).units }),
  };
}

/** `12 hours`, `1 hour`, `7.5 minutes`. */
function quantity(value: number, unit: string): string {
  return `${value} ${unit}${value === 1 ? '' : 's'}`;
}
