/** The `uncertainty` of an answer: what the samples of its flights have in common. */
import { CO2E_HORIZONS, co2EquivalentKg } from '@contrails/physics/cocip';
import { published, TOTAL_FIELDS } from '@contrails/physics/fields';
import {
  ALBEDO_ERROR,
  type Description,
  describe,
  HUMIDITY_ERROR,
  makeSampler,
  QUANTILE_NAMES,
  quantilesOf,
  SCALAR_NAMES,
  shareOf,
  UNCERTAIN_SCALARS,
  varianceShares,
} from '@contrails/physics/uncertainty';
import { memberWarnings, type ResolvedUncertainty } from './members.ts';
import type { FlightSamples } from './sample-runs.ts';
import { MAX_KEPT_WAYPOINTS } from './uncertainty.ts';

const { sd, limit } = ALBEDO_ERROR;

type Answer = Readonly<Record<string, unknown>>;

/** The samples of one flight, and its nominal energy forcing in the order of the answer. */
export interface SampledFlight {
  readonly id: string | number | undefined;
  readonly samples: FlightSamples;
  /** Of the nominal run [J]; NaN where it is unknown. */
  readonly nominal: Float64Array;
}

export interface UncertaintyAnswer {
  readonly uncertainty: Answer;
  readonly warnings: readonly string[];
}

/** A fleet has an object for each flight, and one of the sum over all of them. */
export function describeUncertainty(
  flights: readonly SampledFlight[],
  options: ResolvedUncertainty,
  {
    isFleet,
    includesSamples,
    isEstimated,
  }: {
    readonly isFleet: boolean;
    readonly includesSamples: boolean;
    /** Whether flights have seen radiation that is estimated. */
    readonly isEstimated: boolean;
  },
): UncertaintyAnswer {
  const [only] = flights;
  const varies = isEstimated && options.groups.includes('radiation_estimate');
  const head = headOf(options, varies);
  const extra = (flight: SampledFlight) =>
    includesSamples ? { sample_values: sampleValues(flight, options, varies) } : {};
  const body =
    !isFleet && only !== undefined
      ? { ...describeFlight(only), ...extra(only) }
      : {
          flights: flights.map((flight) => ({
            flight_id: flight.id,
            ...describeFlight(flight),
            ...extra(flight),
          })),
          fleet: describeFleet(flights, options.samples),
        };
  return {
    uncertainty: { ...head, ...body, notes: notesOf(options, varies) },
    warnings: [...memberWarnings(options), ...warningsOf(flights)],
  };
}

function notesOf({ metMembers }: ResolvedUncertainty, variesRadiation: boolean): string[] {
  const radiation = variesRadiation ? 'longwave radiation' : 'radiation';
  return [
    'The ratio of effective to radiative forcing and the warming potentials of the CO2e figures do not vary.',
    metMembers === undefined
      ? `Winds, temperature, ${radiation}, aircraft mass and performance do not vary.`
      : 'Weather varies as it does between the members; the take-off mass and the performance model do not vary.',
  ];
}

function headOf(
  { samples, seed, set, sampling, groups, metMembers }: ResolvedUncertainty,
  variesRadiation: boolean,
): Answer {
  const scalars = SCALAR_NAMES.filter(
    (name) => name !== 'humiditySystematic' && groups.includes(UNCERTAIN_SCALARS[name].group),
  ).map((name) => [UNCERTAIN_SCALARS[name].name, UNCERTAIN_SCALARS[name].distribution(set)]);
  return {
    ...{ samples, seed, set, sampling, met_members: metMembers ?? null },
    parameters: {
      ...(groups.includes('humidity')
        ? {
            humidity: {
              systematic: HUMIDITY_ERROR.systematic,
              field: HUMIDITY_ERROR.field,
              length_km: HUMIDITY_ERROR.lengthKm,
              height_m: HUMIDITY_ERROR.heightM,
              time_h: HUMIDITY_ERROR.timeH,
            },
          }
        : {}),
      ...Object.fromEntries(scalars),
      ...(groups.includes('habit')
        ? { habit_distributions: { distribution: 'dirichlet', values: [0.5, 96] } }
        : {}),
      ...(variesRadiation
        ? { radiation_estimate: { distribution: 'truncated-normal', values: [0, sd, limit * sd] } }
        : {}),
    },
  };
}

function describeFlight({ samples, nominal }: SampledFlight): Answer {
  const totals = samples.totals.subarray(0, samples.samples);
  return {
    ...describeTotals(totals, samples.persistentM),
    waypoints: samples.energyForcing === undefined ? null : describeWaypoints(samples.energyForcing, nominal),
    ...(samples.variants.length > 1 ? { sensitivity: sensitivityOf(samples) } : {}),
  };
}

function describeFleet(flights: readonly SampledFlight[], samples: number): Answer {
  const sum = (of: (flight: FlightSamples) => Float64Array) => {
    const total = new Float64Array(samples);
    for (const flight of flights) {
      const values = of(flight.samples);
      for (let s = 0; s < samples; s++) total[s] = (total[s] as number) + (values[s] as number);
    }
    return total;
  };
  return describeTotals(
    sum(({ totals }) => totals),
    sum(({ persistentM }) => persistentM),
  );
}

function describeTotals(energyForcing: Float64Array, persistentM: Float64Array): Answer {
  const equivalents = CO2E_HORIZONS.map((horizon): [string, Description] => [
    `co2e_gwp${horizon}`,
    describe(energyForcing.map((joules) => co2EquivalentKg(joules, horizon))),
  ]);
  return {
    totals: {
      ...published(TOTAL_FIELDS, { energy_forcing: describe(energyForcing) }),
      ...Object.fromEntries(equivalents),
      persistent_km: describe(persistentM.map((metres) => metres / 1000)),
    },
    probability_warming: shareOf(energyForcing, (joules) => joules > 0),
    probability_cooling: shareOf(energyForcing, (joules) => joules < 0),
    probability_persistent: shareOf(persistentM, (metres) => metres > 0),
  };
}

function describeWaypoints(energyForcing: Float64Array, nominal: Float64Array): Answer {
  const waypoints = nominal.length;
  const samples = energyForcing.length / waypoints;
  const column = () => new Float64Array(waypoints).fill(Number.NaN);
  const quantiles = QUANTILE_NAMES.map((name) => ({ name, column: column() }));
  const probability = column();
  const values = new Float64Array(samples);
  for (let i = 0; i < waypoints; i++) {
    if (Number.isNaN(nominal[i])) continue;
    for (let s = 0; s < samples; s++) values[s] = energyForcing[s * waypoints + i] as number;
    const found = quantilesOf(values);
    for (const { name, column: out } of quantiles) out[i] = found[name];
    probability[i] = shareOf(values, (joules) => joules !== 0);
  }
  return {
    ...Object.fromEntries(quantiles.map(({ name, column: out }) => [name, out])),
    probability_persistent: probability,
  };
}

function sensitivityOf({ totals, variants, samples }: FlightSamples): Answer {
  const runsOf = (variant: number) => totals.subarray(variant * samples, (variant + 1) * samples);
  const second = variants.indexOf('all');
  const b = second < 0 ? undefined : runsOf(second);
  return Object.fromEntries(
    variants.flatMap((variant, v) =>
      variant === null || variant === 'all' ? [] : [[variant, varianceShares(runsOf(0), runsOf(v), b)]],
    ),
  );
}

function sampleValues(
  { samples }: SampledFlight,
  options: ResolvedUncertainty,
  variesRadiation: boolean,
): Answer {
  const draw = makeSampler(options);
  const drawn = Array.from({ length: options.samples }, (_, sample) => draw(sample));
  return {
    ...Object.fromEntries(
      SCALAR_NAMES.map((name) => [
        UNCERTAIN_SCALARS[name].name,
        Float64Array.from(drawn, (values) => values[name]),
      ]),
    ),
    ...(variesRadiation
      ? { radiation_estimate: Float64Array.from(drawn, ({ albedoError }) => albedoError) }
      : {}),
    ...published(TOTAL_FIELDS, { energy_forcing: samples.totals.subarray(0, samples.samples) }),
    persistent_km: samples.persistentM.map((metres) => metres / 1000),
  };
}

function warningsOf(flights: readonly SampledFlight[]): string[] {
  const unkept = flights.filter((flight) => flight.samples.energyForcing === undefined).length;
  if (unkept === 0) return [];
  return [
    `uncertainty has no quantiles of waypoints for ${unkept} of ${flights.length} flights: samples × waypoints exceed ${MAX_KEPT_WAYPOINTS}`,
  ];
}
