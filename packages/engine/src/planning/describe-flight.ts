/** The plan of one flight as the guide describes it. */
import type { WeatherOrigin } from '@contrails/met';
import { contrailMetrics, DEFAULT_CO2E } from '@contrails/physics/climate';
import { CO2E_HORIZONS } from '@contrails/physics/cocip';
import { FIGURE_FIELDS, published, TOTAL_FIELDS, WAYPOINT_FIELDS } from '@contrails/physics/fields';
import { contrailEquivalentKg, metricsVerdict, type Prices, runsOf } from '@contrails/physics/planning';
import { describe, shareOf } from '@contrails/physics/uncertainty';
import type { RequestFleet } from '../flights/fleet.ts';
import { memberWarnings } from '../flights/members.ts';
import { effectiveParameters } from '../flights/parameters.ts';
import { warningsOf } from '../flights/warnings.ts';
import { MODELING_VERSION } from '../modeling-version.ts';
import { describeScaling } from '../weather/humidity-scaling.ts';
import type { FlightPlan } from './conclude.ts';
import type { Profile, VerifiedAlternative } from './profile.ts';
import type { Row } from './row.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** Warnings of a flight name it only where `fleet` has several. */
export function describeFlight(
  plan: FlightPlan,
  origin: WeatherOrigin,
  fleet: Pick<RequestFleet, 'attributes' | 'flightId'>,
  warnings: readonly string[],
): Answer {
  const { rows, best, profile, recommendation, recommendedRow, flight } = plan;
  const { track, cruise, options, planning } = flight;
  const { name, formula } = describeScaling(options.scaling);
  const baseline = rows[0] as Row;
  const { prices } = planning;
  const { co2e = DEFAULT_CO2E } = prices;
  const withWaypoints = planning.includes.includes('waypoints');
  const describeOne = (row: Row) => ({
    ...figures(plan, row),
    delta: row === baseline ? null : deltaOf(plan, row),
    uncertainty: describeSamples(plan, row),
    ...(withWaypoints ? { waypoints: waypointsOf(plan, row) } : {}),
  });
  const facts = baseline.outcome.facts;
  return {
    flight_id: flight.about.id ?? null,
    ...metSource(origin),
    modeling_version: MODELING_VERSION,
    ...{ humidity_scaling_name: name, humidity_scaling_formula: formula },
    cocip_max_contrail_age: `${options.maxAgeHours} hours`,
    cocip_dt_integration: `${options.dtIntegrationMinutes} minutes`,
    ...(options.parameters === undefined
      ? {}
      : { parameters: { ...effectiveParameters('cocip', options).values, max_altitude_m: null } }),
    ...{ nvpm_data_source: facts.nvpmDataSource, engine_uid: facts.engineUid },
    working: {
      waypoints: track.timeMs.length,
      inserted: track.inserted,
      cruise: [cruise.first, cruise.last],
      takeoff_mass: plan.takeoffMassKg,
      length_km: (track.alongM.at(-1) as number) / 1000,
    },
    cost: {
      ...{ fuel_price: prices.fuelPrice, cost_index: prices.costIndex, carbon_price: prices.carbonPrice },
      ...{ horizon: prices.horizon, cooling: prices.cooling },
      ...{ co2e_metric: co2e.metric, efficacy: co2e.efficacy, co2e_set: co2e.set },
    },
    rows: rows.map(describeOne),
    best,
    ...(profile === undefined ? {} : describeProfile(plan, profile)),
    recommendation: { ...recommendation, row: recommendedRow, metrics: verdictOf(plan) },
    warnings: [
      ...warnings,
      ...origin.warnings,
      ...(planning.uncertainty === undefined ? [] : memberWarnings(planning.uncertainty)),
      ...(plan.unknownSegments === 0
        ? []
        : [
            `the stored contrail grid has no value at ${plan.unknownSegments} segments of the level rows: the prediction takes them for free of contrails`,
          ]),
      ...(planning.contrails === 'grid' && options.parameters !== undefined
        ? [
            'parameters do not hold for the stored contrail grids, which predict: only verified rows have them',
          ]
        : []),
      ...rowWarnings(fleet, plan),
    ],
  };
}

function metSource(origin: WeatherOrigin): Answer {
  return {
    met_source_provider: origin.provider ?? null,
    met_source_dataset: origin.dataset ?? null,
    met_source_product: origin.product ?? null,
    ...(origin.radiation === undefined ? {} : { met_source_radiation: origin.radiation }),
    ...(origin.attributions.length === 0 ? {} : { met_source_attribution: origin.attributions.join(' ') }),
    ...(origin.referenceTime === undefined
      ? {}
      : { met_source_forecast_time: new Date(origin.referenceTime).toISOString().replace('.000Z', 'Z') }),
  };
}

function figures({ prices }: FlightPlan, row: Row): Answer {
  const { totals, outcome } = row;
  const metrics = contrailMetrics(row.netJ, prices.co2e);
  return {
    ...{ kind: row.kind, flight_level: row.flightLevel, shift_ft: row.shiftFt, status: row.status },
    ...published(FIGURE_FIELDS, {
      ...{
        fuel_kg: totals.fuelKg,
        energy_fuel_kg: totals.energyFuelKg,
        co2_kg: prices.eiCo2 * totals.fuelKg,
      },
      flight_time_s: totals.timeS,
      ...{ contrail_km: outcome.contrailM / 1000, persistent_km: outcome.persistentM / 1000 },
      ...{ energy_forcing_j: row.netJ, warming_j: row.warmingJ, cooling_j: row.coolingJ },
      ...Object.fromEntries(CO2E_HORIZONS.map((years) => [`co2e_gwp${years}_kg`, metrics[`gwp${years}`]])),
    }),
    metrics,
    ...published(FIGURE_FIELDS, { cost: row.cost }),
    limits: outcome.limits,
  };
}

/** `gwp100`, or what the prices ask for. */
const metricOf = ({ horizon, co2e = DEFAULT_CO2E }: Prices): string => `${co2e.metric}${horizon}`;

/** Under how many metrics the chosen row is better; null where the flight itself is the best. */
function verdictOf({ prices, rows, chosen }: FlightPlan) {
  const baseline = rows[0] as Row;
  return chosen === baseline ? null : metricsVerdict(prices, baseline.totals, chosen.totals);
}

/** CO2 of the fuel and CO2e of the contrails [kg]. */
function totalCo2e({ prices }: FlightPlan, { totals, netJ }: Row): number {
  return prices.eiCo2 * totals.fuelKg + contrailEquivalentKg(prices, netJ);
}

function deltaOf(plan: FlightPlan, row: Row): Answer {
  const baseline = plan.rows[0] as Row;
  return {
    ...published(FIGURE_FIELDS, {
      fuel_kg: row.totals.fuelKg - baseline.totals.fuelKg,
      flight_time_s: row.totals.timeS - baseline.totals.timeS,
      energy_forcing_j: row.netJ - baseline.netJ,
    }),
    [`total_co2e_${metricOf(plan.prices)}_kg`]: totalCo2e(plan, row) - totalCo2e(plan, baseline),
    ...published(FIGURE_FIELDS, { cost: row.cost - baseline.cost }),
  };
}

function describeSamples(plan: FlightPlan, row: Row): Answer | null {
  const baseline = plan.rows[0] as Row;
  const [samples, ofBaseline] = [plan.samples.get(row), plan.samples.get(baseline)];
  if (samples === undefined || ofBaseline === undefined) return null;
  const { eiCo2 } = plan.prices;
  const isBaseline = row === baseline;
  const deltaCo2e = samples.netJ.map(
    (joules, s) =>
      eiCo2 * (row.totals.fuelKg - baseline.totals.fuelKg) +
      contrailEquivalentKg(plan.prices, joules - (ofBaseline.netJ[s] as number)),
  );
  return {
    ...published(TOTAL_FIELDS, { energy_forcing: describe(samples.netJ) }),
    delta_cost: isBaseline ? null : describe(samples.deltaCost),
    [`delta_total_co2e_${metricOf(plan.prices)}`]: isBaseline ? null : describe(deltaCo2e),
    probability_better: isBaseline ? null : shareOf(samples.deltaCost, (delta) => delta < 0),
  };
}

/** A body that can be posted to any trajectory endpoint. */
function waypointsOf({ flight: { track } }: FlightPlan, { outcome }: Row): Answer | null {
  if (outcome.timeMs === null) return null;
  return {
    longitude: Array.from(track.longitude),
    latitude: Array.from(track.latitude),
    altitude: Array.from(outcome.altitudeFt),
    time: Array.from(outcome.timeMs, isoTime),
    ...published(WAYPOINT_FIELDS, {
      energy_forcing: outcome.energyForcingJ,
      fuel_flow: outcome.fuelFlowKgS,
    }),
  };
}

function describeProfile(plan: FlightPlan, profile: Profile): Answer {
  const { tables, chosen } = profile;
  const { planning } = plan.flight;
  return {
    alternatives: profile.alternatives.map((one) => describeAlternative(plan, profile, one)),
    chosen:
      chosen === undefined
        ? null
        : {
            kind: chosen.kind,
            flight_level: chosen.row.flightLevel,
            changes: chosen.changes,
            cost: chosen.row.cost,
          },
    ...{ simplest: profile.simplest, multiplier: profile.multiplier },
    ...{ stages: tables.stages.count, stage_km: tables.stages.lengthM / 1000, min_stages: profile.minStages },
    baseline_blocked: profile.isBaselineBlocked,
    binding: bindingOf(plan, profile),
    ...(planning.includes.includes('tables') ? { tables: describeTables(profile) } : {}),
  };
}

function describeAlternative(plan: FlightPlan, { tables }: Profile, one: VerifiedAlternative): Answer {
  const { path, predicted, row, isOptimum, isEligible } = one;
  const { track } = plan.flight;
  const { stages } = tables;
  const atStage = (stage: number) => stages.startM + stage * stages.lengthM;
  const timeAt = (alongM: number) =>
    isoTime(interpolated(track.alongM, row.outcome.timeMs ?? track.timeMs, alongM));
  return {
    ...{ changes: path.changes, optimum: isOptimum, eligible: isEligible },
    levels: runsOf(path, tables.flightLevels).map(({ flightLevel, from, to }) => ({
      ...{ from_km: atStage(from) / 1000, to_km: atStage(to) / 1000 },
      ...{ from_time: timeAt(atStage(from)), to_time: timeAt(atStage(to)), flight_level: flightLevel },
    })),
    predicted: published(FIGURE_FIELDS, {
      fuel_kg: predicted.fuelKg,
      co2_kg: plan.prices.eiCo2 * predicted.fuelKg,
      flight_time_s: predicted.timeS,
      energy_forcing_j: predicted.netJ,
      cost: predicted.cost,
    }),
    verified: {
      ...figures(plan, row),
      delta: deltaOf(plan, row),
      uncertainty: describeSamples(plan, row),
    },
    ...(plan.flight.planning.includes.includes('waypoints') ? { waypoints: waypointsOf(plan, row) } : {}),
  };
}

/** What keeps the proposal from being cheaper: rules that it uses up, and limits that closed cells or other levels. */
function bindingOf(
  { rows, flight }: FlightPlan,
  { tables, chosen, alternatives, multiplier }: Profile,
): string[] {
  const { planning, boxes } = flight;
  const optimum = alternatives.find(({ isOptimum }) => isOptimum);
  const chosenPath = alternatives.find(({ row }) => row === chosen?.row)?.path ?? optimum?.path;
  const runs = chosenPath === undefined ? [] : runsOf(chosenPath, tables.flightLevels);
  const closed = tables.open.includes(0);
  const levels = rows.filter(({ kind }) => kind === 'level');
  const violates = (limit: (row: Row) => boolean) => levels.some(limit);
  const steps = runs.slice(1).map((run, k) => Math.abs(run.flightLevel - (runs[k]?.flightLevel ?? 0)) * 100);
  return [
    ...(multiplier > 0 ? ['max_extra_fuel_percent'] : []),
    ...(runs.length > 0 && runs.length - 1 === planning.maxChanges ? ['max_changes'] : []),
    ...(steps.some((feet) => feet + 500 > planning.maxStepFt) ? ['max_step_ft'] : []),
    ...(closed && boxes.length > 0 ? ['avoid'] : []),
    ...(closed && planning.parity !== 'none' ? ['parity'] : []),
    ...(violates(({ outcome }) => outcome.limits.lift_share > 0) ? ['lift'] : []),
    ...(violates(({ outcome }) => outcome.limits.thrust_share > 0) ? ['thrust'] : []),
    ...(violates(({ outcome }) => !outcome.limits.ceiling) ? ['ceiling'] : []),
    ...(violates(({ outcome }) => outcome.limits.weather_share < 1) ? ['weather'] : []),
  ];
}

function describeTables({ tables }: Profile): Answer {
  const width = tables.flightLevels.length;
  const byStage = (values: ArrayLike<number>) =>
    Array.from({ length: tables.stages.count }, (_, k) =>
      Array.from({ length: width }, (_cell, l) => values[k * width + l] as number),
    );
  return {
    flight_levels: tables.flightLevels,
    fuel_kg: byStage(tables.fuelKg),
    time_s: byStage(tables.timeS),
    paid_ef_j: byStage(tables.paidJ),
    open: byStage(tables.open),
    climb_kg_per_ft: Array.from(tables.climbKgPerFt),
  };
}

/** Warnings of the trajectory endpoint, with the rows that they concern. */
function rowWarnings(
  fleet: Pick<RequestFleet, 'attributes' | 'flightId'>,
  { rows, profile }: FlightPlan,
): string[] {
  const named: [string, Row][] = [
    ...rows.map((row): [string, Row] => [nameOf(row), row]),
    ...(profile?.alternatives ?? []).map(({ path, row }): [string, Row] => [
      `profile with ${path.changes} changes`,
      row,
    ]),
  ];
  const concerned = new Map<string, string[]>();
  for (const [name, { outcome }] of named) {
    for (const warning of warningsOf(fleet, [outcome.facts.warnings]))
      concerned.set(warning, [...(concerned.get(warning) ?? []), name]);
  }
  return [...concerned].map(([warning, names]) =>
    names.length === named.length ? warning : `${names.join(', ')}: ${warning}`,
  );
}

function nameOf({ kind, flightLevel, shiftFt }: Row): string {
  if (kind === 'level') return `FL ${flightLevel}`;
  return kind === 'shift' ? `shift ${shiftFt} ft` : 'baseline';
}

function interpolated(alongM: Float64Array, values: Float64Array, atM: number): number {
  const next = alongM.findIndex((along) => along >= atM);
  if (next <= 0) return values[next < 0 ? values.length - 1 : 0] as number;
  const [from, to] = [alongM[next - 1] as number, alongM[next] as number];
  const share = to > from ? (atM - from) / (to - from) : 0;
  return (values[next - 1] as number) + share * ((values[next] as number) - (values[next - 1] as number));
}

const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();
