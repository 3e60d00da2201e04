import { runsOf, type StageTables } from '@contrails/physics/planning';
import { describe as describeSamples } from '@contrails/physics/uncertainty';
import { readFlags } from '@contrails/runtime/options/flags';
import { Rejected } from '@contrails/runtime/options/rejected';
import { finish } from '@contrails/runtime/turns';
import { afterAll, describe, expect, test } from 'vitest';
import { conclude, type FlightPlan } from '../../src/planning/conclude.ts';
import { evaluateFlight } from '../../src/planning/evaluate-flight.ts';
import { flightToPlan } from '../../src/planning/flight-to-plan.ts';
import { type PlanKind, planningOptionsOf, planningParameters } from '../../src/planning/options.ts';
import { propose, sampleProposal } from '../../src/planning/proposal.ts';
import { readPlanningBody } from '../../src/planning/read-body.ts';
import type { Row } from '../../src/planning/row.ts';
import { listReference, readReference, referenceWeather } from '../support/reference.ts';

interface Figures {
  readonly kind?: string;
  readonly flight_level?: number | null;
  readonly shift_ft?: number | null;
  readonly status: string;
  readonly fuel_kg: number | null;
  readonly energy_fuel_kg: number;
  readonly flight_time_s: number | null;
  readonly contrail_km: number | null;
  readonly persistent_km: number | null;
  readonly energy_forcing_j: number | null;
  readonly warming_j: number | null;
  readonly cooling_j: number | null;
  readonly cost: number | null;
  readonly limits: { ceiling: boolean; lift_share: number; thrust_share: number; weather_share: number };
}
interface Track {
  readonly altitude: number[];
  readonly time: number[];
  readonly energy_forcing: (number | null)[];
  readonly fuel_flow: (number | null)[];
}
interface Recommended {
  readonly change: boolean;
  readonly reason: string;
  readonly delta_cost: number;
  readonly delta_cost_half: number;
  readonly delta_cost_double: number;
}
interface ProfileCase {
  readonly query: Record<string, unknown>;
  readonly stages: number;
  readonly stage_m: number;
  readonly min_stages: number;
  readonly multiplier: number;
  readonly climb_kg_per_ft: number[];
  readonly baseline_blocked: boolean;
  readonly tables?: Record<'fuel_kg' | 'time_s' | 'paid_ef_j' | 'open', number[][]> & {
    flight_levels: number[];
  };
  readonly alternatives: {
    changes: number;
    optimum: boolean;
    eligible: boolean;
    levels: [number, number][];
    predicted: { fuel_kg: number; flight_time_s: number; energy_forcing_j: number; cost: number };
    verified: Figures;
  }[];
  readonly chosen: { kind: string; flight_level: number | null; changes: number | null; cost: number } | null;
  readonly simplest: number | null;
  readonly recommendation: Recommended;
  readonly waypoints?: Track;
}
interface Case {
  readonly id: string;
  readonly met: string;
  readonly rad: string;
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown>;
  readonly working: {
    waypoints: number;
    inserted: number;
    cruise: [number, number];
    takeoff_mass: number;
    length_km: number;
  };
  readonly rows: Figures[];
  readonly best: number;
  readonly recommendation: Recommended;
  readonly waypoints: Record<string, Track>;
  readonly profiles: ProfileCase[];
}

const report: string[] = [];
afterAll(() => console.log(`worst deviation of plans\n${report.join('\n')}`));

const ids = listReference('planning/cases/').map((name) => name.replace('.json', ''));

/** Runs a case as the endpoint does, without threads. */
async function plan(
  item: Case,
  kind: PlanKind,
  query: Record<string, unknown>,
): Promise<FlightPlan | undefined> {
  const weather = await referenceWeather(item.met, item.rad);
  if (weather === undefined) return undefined;
  const texts = Object.entries({ ...item.query, ...query }).flatMap(([name, value]) =>
    name === 'avoid' ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)] as const],
  );
  const parameters = planningParameters[kind];
  const values = readFlags(parameters, Object.fromEntries(texts));
  const { planning, options } = planningOptionsOf(
    kind,
    values as never,
    'exponential_boost_latitude_customization',
  );
  const read = finish(
    readPlanningBody({
      ...item.body,
      ...(query.avoid === undefined ? {} : { avoid: query.avoid }),
    }),
  );
  if (read instanceof Rejected) throw new Error(JSON.stringify(read.errors));
  const flight = flightToPlan(read.fleet, 0, read.nvpmEiN, options, planning, read.avoid);
  const services = { blocks: 1 };
  const proposal = await propose(flight, await evaluateFlight(flight, weather, services), services);
  const samples = Array.from({ length: planning.uncertainty?.samples ?? 0 }, (_, sample) => sample);
  await sampleProposal(proposal, flight, samples, weather, services);
  return conclude(proposal);
}

const off = (actual: number, expected: number | null, scale = Math.abs(expected ?? 0)) =>
  expected === null || Number.isNaN(actual)
    ? expected === null && Number.isNaN(actual)
      ? 0
      : Number.POSITIVE_INFINITY
    : actual === expected
      ? 0
      : Math.abs(actual - expected) / scale;

function compareRow(row: Row, expected: Figures, what: string): number {
  expect(row.status, what).toBe(expected.status);
  if (expected.kind !== undefined) expect(row.kind, what).toBe(expected.kind);
  if (expected.flight_level !== undefined) expect(row.flightLevel, what).toBe(expected.flight_level);
  if (expected.shift_ft !== undefined) expect(row.shiftFt, what).toBe(expected.shift_ft);
  const forcing = (expected.warming_j ?? 0) - (expected.cooling_j ?? 0) || 1;
  expect(off(row.totals.fuelKg, expected.fuel_kg), `${what} fuel`).toBeLessThan(1e-6);
  expect(off(row.totals.timeS, expected.flight_time_s), `${what} time`).toBeLessThan(1e-6);
  expect(off(row.totals.energyFuelKg, expected.energy_fuel_kg, expected.fuel_kg ?? 1), what).toBeLessThan(
    1e-6,
  );
  expect(off(row.outcome.contrailM / 1000, expected.contrail_km), `${what} contrail`).toBeLessThan(1e-6);
  expect(off(row.outcome.persistentM / 1000, expected.persistent_km), `${what} persistent`).toBeLessThan(
    1e-6,
  );
  expect(row.outcome.limits.ceiling, what).toBe(expected.limits.ceiling);
  for (const name of ['lift_share', 'thrust_share', 'weather_share'] as const)
    expect(Math.abs(row.outcome.limits[name] - expected.limits[name]), `${what} ${name}`).toBeLessThan(1e-6);
  const worst = off(row.netJ, expected.energy_forcing_j, forcing);
  expect(worst, `${what} net`).toBeLessThan(1e-5);
  expect(off(row.warmingJ, expected.warming_j, forcing), `${what} warming`).toBeLessThan(1e-5);
  expect(off(row.coolingJ, expected.cooling_j, forcing), `${what} cooling`).toBeLessThan(1e-5);
  expect(off(row.cost, expected.cost), `${what} cost`).toBeLessThan(1e-6);
  return worst;
}

/** Where numbers differ by the tolerance or more; thousands of assertions take longer than the plans. */
function beyond(found: ArrayLike<number>, expected: readonly number[], tolerance: number): number[] {
  return Array.from({ length: found.length }, (_, i) => i).filter(
    (i) => !(Math.abs((found[i] as number) - (expected[i] as number)) < tolerance),
  );
}

function compareTrack({ outcome }: Row, expected: Track, what: string): void {
  // The reference has five decimals: half of the last one besides a millionth of a foot.
  expect(beyond(outcome.altitudeFt, expected.altitude, 6e-6), `${what} altitude`).toEqual([]);
  if (outcome.timeMs === null) return;
  const timesMs = expected.time.map((seconds) => 1000 * seconds);
  expect(beyond(outcome.timeMs, timesMs, 1.01), `${what} time`).toEqual([]);
}

function compareRecommendation(
  found: FlightPlan['recommendation'],
  expected: Recommended,
  scale: number,
): void {
  expect({ change: found.change, reason: found.reason }).toEqual({
    change: expected.change,
    reason: expected.reason,
  });
  expect(found.basis).toBe('screening');
  for (const name of ['delta_cost', 'delta_cost_half', 'delta_cost_double'] as const)
    expect(Math.abs(found[name] - expected[name])).toBeLessThan(1e-5 * scale);
}

describe('plans of the reference', () => {
  describe.each(ids)('%s', (id) => {
    const item = readReference<Case>(`planning/cases/${id}.json`) as Case;
    const isMissing = referenceWeather(item.met, item.rad) === undefined;

    test.skipIf(isMissing)('levels', async () => {
      const found = (await plan(item, 'levels', {})) as FlightPlan;
      const { track, cruise } = found.flight;
      expect({
        waypoints: track.timeMs.length,
        inserted: track.inserted,
        cruise: [cruise.first, cruise.last],
      }).toEqual({
        waypoints: item.working.waypoints,
        inserted: item.working.inserted,
        cruise: item.working.cruise,
      });
      expect(off(found.takeoffMassKg, item.working.takeoff_mass)).toBeLessThan(1e-6);
      expect(off((track.alongM.at(-1) as number) / 1000, item.working.length_km)).toBeLessThan(1e-9);
      expect(found.rows.length).toBe(item.rows.length);
      for (const [index, expected] of Object.entries(item.waypoints))
        compareTrack(found.rows[Number(index)] as Row, expected, `row ${index}`);
      const worst = item.rows.map((expected, r) => compareRow(found.rows[r] as Row, expected, `row ${r}`));
      expect(found.best).toBe(item.best);
      compareRecommendation(found.recommendation, item.recommendation, item.rows[0]?.cost ?? 1);
      report.push(`  ${id.padEnd(34)} energy forcing ${Math.max(...worst).toExponential(1)}`);
    });

    test.skipIf(isMissing).each(item.profiles)('profile $query', async (expected) => {
      const found = (await plan(item, 'profile', expected.query)) as FlightPlan;
      const profile = found.profile;
      if (profile === undefined) throw new Error('there is no profile');
      const { tables } = profile;
      expect(tables.stages.count).toBe(expected.stages);
      expect(off(tables.stages.lengthM, expected.stage_m)).toBeLessThan(1e-9);
      expect(profile.minStages).toBe(expected.min_stages);
      expect(off(profile.multiplier, expected.multiplier)).toBeLessThan(1e-6);
      expect(profile.isBaselineBlocked).toBe(expected.baseline_blocked);
      expected.climb_kg_per_ft.forEach((kg, k) => {
        expect(off(tables.climbKgPerFt[k] as number, kg)).toBeLessThan(1e-6);
      });
      if (expected.tables !== undefined) compareTables(tables, expected.tables);
      expect(
        profile.alternatives.map(({ path, isOptimum, isEligible }) => ({
          changes: path.changes,
          optimum: isOptimum,
          eligible: isEligible,
          levels: runsOf(path, tables.flightLevels).map(({ flightLevel, from, to }) => [
            flightLevel,
            to - from,
          ]),
        })),
      ).toEqual(
        expected.alternatives.map(({ changes, optimum, eligible, levels }) => ({
          changes,
          optimum,
          eligible,
          levels,
        })),
      );
      profile.alternatives.forEach(({ predicted, row }, k) => {
        const wanted = expected.alternatives[k] as ProfileCase['alternatives'][number];
        const forcing = (wanted.verified.warming_j ?? 0) - (wanted.verified.cooling_j ?? 0) || 1;
        expect(off(predicted.fuelKg, wanted.predicted.fuel_kg)).toBeLessThan(1e-6);
        expect(off(predicted.timeS, wanted.predicted.flight_time_s)).toBeLessThan(1e-6);
        expect(off(predicted.netJ, wanted.predicted.energy_forcing_j, forcing)).toBeLessThan(1e-5);
        expect(off(predicted.cost, wanted.predicted.cost)).toBeLessThan(1e-6);
        compareRow(row, wanted.verified, `alternative ${k}`);
      });
      const { chosen } = profile;
      expect(
        chosen && { kind: chosen.kind, flight_level: chosen.row.flightLevel, changes: chosen.changes },
      ).toEqual(
        expected.chosen === null
          ? undefined
          : {
              kind: expected.chosen.kind,
              flight_level: expected.chosen.flight_level,
              changes: expected.chosen.changes,
            },
      );
      expect(profile.simplest).toBe(expected.simplest);
      compareRecommendation(found.recommendation, expected.recommendation, item.rows[0]?.cost ?? 1);
    });
  });
});

const stepped = readReference<Case>('planning/cases/levels-01-a320-step.json');

test.skipIf(stepped === undefined || referenceWeather(stepped.met, stepped.rad) === undefined)(
  'levels outside the weather are never free of contrails: none of them is best or part of a profile',
  async () => {
    const item = stepped as Case;
    const prices = { flight_levels: [200, 210, 350], carbon_price: 100_000, fuel_price: 0 };
    const levels = (await plan(item, 'levels', prices)) as FlightPlan;
    const [, ...below] = levels.rows.slice(0, 3);
    expect(below.map(({ status }) => status)).toEqual(['outside_weather', 'outside_weather']);
    expect(below.map(({ netJ }) => netJ)).toEqual([0, 0]);
    expect(levels.rows[levels.best]?.status).toBe('ok');
    const { profile, chosen } = (await plan(item, 'profile', prices)) as FlightPlan;
    const runs = profile?.alternatives.map(({ path }) => runsOf(path, profile.tables.flightLevels)) ?? [];
    expect(runs.flat().map(({ flightLevel }) => flightLevel)).toEqual([350]);
    expect(chosen.status).toBe('ok');
  },
);

function compareTables(tables: StageTables, expected: NonNullable<ProfileCase['tables']>): void {
  const width = expected.flight_levels.length;
  expect(tables.flightLevels).toEqual(expected.flight_levels);
  const flat = (rows: number[][]) => rows.flat();
  expect([...tables.open]).toEqual(flat(expected.open));
  const largest = (values: number[]) => Math.max(...values.map(Math.abs), 1);
  for (const [found, wanted, tolerance] of [
    [tables.fuelKg, flat(expected.fuel_kg), 1e-6],
    [tables.timeS, flat(expected.time_s), 1e-6],
    [tables.paidJ, flat(expected.paid_ef_j), 1e-5],
  ] as const) {
    expect(found.length).toBe(wanted.length);
    const scale = largest(wanted);
    const differing = beyond(found, wanted, tolerance * scale);
    expect(differing.map((cell) => `stage ${Math.floor(cell / width)} level ${cell % width}`)).toEqual([]);
  }
}

interface Paired extends Omit<Case, 'rows' | 'recommendation'> {
  readonly rows: {
    index: number;
    nominal_cost: number;
    energy_forcing_j: number[];
    paid_ef_j: number[];
    delta_cost: Record<string, number> | null;
    probability_better: number | null;
  }[];
  readonly change: boolean;
}

const paired = readReference<Paired>('planning/paired.json');

test.skipIf(paired === undefined || referenceWeather(paired.met, paired.rad) === undefined)(
  'rows under the same draws as the reference',
  async () => {
    const item = paired as Paired;
    const found = (await plan(item as unknown as Case, 'levels', {})) as FlightPlan;
    expect(found.best).toBe(item.best);
    expect(found.recommendation.change).toBe(item.change);
    for (const {
      index,
      nominal_cost,
      energy_forcing_j,
      paid_ef_j,
      delta_cost,
      probability_better,
    } of item.rows) {
      const samples = found.samples.get(found.rows[index] as Row);
      if (samples === undefined) throw new Error(`row ${index} has no samples`);
      expect(off((found.rows[index] as Row).cost, nominal_cost)).toBeLessThan(1e-6);
      const scale = Math.max(...paid_ef_j.map(Math.abs), ...energy_forcing_j.map(Math.abs), 1);
      energy_forcing_j.forEach((joules, s) => {
        expect(Math.abs((samples.netJ[s] as number) - joules), `row ${index} sample ${s}`).toBeLessThan(
          1e-5 * scale,
        );
        expect(Math.abs((samples.paidJ[s] as number) - (paid_ef_j[s] as number))).toBeLessThan(1e-5 * scale);
      });
      if (delta_cost === null) continue;
      const described = describeSamples(samples.deltaCost) as unknown as Record<string, number>;
      for (const [name, value] of Object.entries(delta_cost))
        expect(Math.abs((described[name] as number) - value)).toBeLessThan(1e-5 * nominal_cost);
      expect(samples.deltaCost.filter((delta) => delta < 0).length / 12).toBeCloseTo(
        probability_better ?? -1,
        9,
      );
    }
  },
);
