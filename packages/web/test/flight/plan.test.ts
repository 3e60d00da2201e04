import { expect, test } from 'vitest';
import { flightPlan, signed } from '../../src/flight/plan.ts';
import {
  bestMeans,
  changedSettings,
  DEFAULT_SETTINGS,
  parseSettings,
  planCommand,
} from '../../src/flight/plan-settings.ts';

type Answer = Parameters<typeof flightPlan>[0];
type Row = Answer['rows'][number];

const LIMITS = { ceiling: true, lift_share: 0, thrust_share: 0, weather_share: 1 };

function row(kind: string, level: number | null, fuel: number, co2e: number | null): Row {
  return {
    kind,
    flight_level: level,
    shift_ft: null,
    status: 'ok',
    fuel_kg: fuel,
    energy_fuel_kg: 0,
    co2_kg: 3.159 * fuel,
    flight_time_s: 7200,
    contrail_km: 900,
    persistent_km: 100,
    energy_forcing_j: 1e12,
    warming_j: 1e12,
    cooling_j: 0,
    co2e_gwp20_kg: 1,
    co2e_gwp50_kg: 1,
    co2e_gwp100_kg: 1,
    cost: 1,
    limits: LIMITS,
    delta:
      co2e === null
        ? null
        : { fuel_kg: fuel - 4000, flight_time_s: 90, total_co2e_gwp100_kg: co2e, cost: -1 },
    uncertainty:
      co2e === null
        ? null
        : {
            delta_total_co2e_gwp100: { q05: 2 * co2e, q50: co2e, q95: co2e / 2 },
            probability_better: 0.9,
          },
    waypoints: { time: ['2024-02-29T06:00:00.000Z'], altitude: [100 * (level ?? 350)] },
  } as unknown as Row;
}

const answer = (chosen: object, recommendation: object): Answer =>
  ({
    rows: [row('baseline', null, 4000, null), row('level', 330, 4040, -5200), row('level', 390, 3980, 900)],
    best: 1,
    alternatives: [
      {
        changes: 1,
        optimum: true,
        eligible: true,
        levels: [{ flight_level: 330 }, { flight_level: 370 }],
        predicted: {},
        verified: row('profile', null, 4010, -6000),
        waypoints: { time: ['2024-02-29T06:00:00Z', '2024-02-29T07:00:00Z'], altitude: [33_000, 37_000] },
      },
    ],
    chosen,
    recommendation: { basis: 'monte_carlo', row: 1, probability_better: 0.9, ...recommendation },
    warnings: [],
    notes: ['other traffic, airspace and turbulence are not considered'],
  }) as unknown as Answer;

test('a level that is better is recommended with what it saves and costs', () => {
  const plan = flightPlan(
    answer({ kind: 'level', flight_level: 330 }, { change: true, reason: 'better' }),
    DEFAULT_SETTINGS,
  );
  expect(plan.sentence).toBe(
    'FL330 saves 5.2 t CO₂e (GWP, 100 years) for +1.0 % fuel and +2 min: cheaper in 90 % of 50 samples.',
  );
  expect(plan.isChange).toBe(true);
  expect(plan.proposal).toEqual([{ timeMs: Date.UTC(2024, 1, 29, 6), altitudeFt: 33_000 }]);
  expect(plan.rows.map(({ name, kind, isBest, co2eKg }) => [name, kind, isBest, co2eKg])).toEqual([
    ['As flown', 'flown', false, null],
    ['FL330', 'level', true, -5200],
    ['FL390', 'level', false, 900],
  ]);
  expect(plan.rows[1]).toMatchObject({ fuelPercent: 1, probability: 0.9, interval: { q05: -10_400 } });
  expect(plan.notes).toEqual(['Other traffic, airspace and turbulence are not considered.']);
});

test('a profile with changes names its levels in order', () => {
  const plan = flightPlan(
    answer({ kind: 'profile', changes: 1 }, { change: true, reason: 'better' }),
    DEFAULT_SETTINGS,
  );
  expect(plan.sentence).toMatch(/^FL330, then FL370 saves 6 t CO₂e/);
  expect(plan.proposal.map(({ altitudeFt }) => altitudeFt)).toEqual([33_000, 37_000]);
  expect(plan.rows.map(({ name, isBest }) => [name, isBest])).toEqual([
    ['As flown', false],
    ['FL330 → 370', true],
    ['FL330', false],
    ['FL390', false],
  ]);
});

/** Rows beside the chosen FL330, with these deltas and limits. */
function remarkOn(delta: object, more: object = {}, settings = DEFAULT_SETTINGS): string | undefined {
  const chosen = answer({ kind: 'level', flight_level: 330 }, { change: true, reason: 'better' });
  const [flown, best, other] = chosen.rows as [Row, Row, Row];
  const figures = { fuel_kg: 40, flight_time_s: 90, total_co2e_gwp100_kg: -5200 };
  const paid = (co2eKg: number) => 0.8 * (40 + 45) + 0.05 * co2eKg;
  const rows = [
    flown,
    { ...best, delta: { ...figures, cost: paid(-5200) } },
    { ...other, ...more, delta: { ...figures, ...delta } },
  ] as unknown as Row[];
  return flightPlan({ ...chosen, rows } as Answer, settings).rows[2]?.remark;
}

test('a level that saves more but is not chosen says why', () => {
  const cooling = { total_co2e_gwp100_kg: -9000, cost: 0.8 * 85 - 0.05 * 5200 };
  expect(remarkOn(cooling)).toBe('saves more CO₂e only because its contrails cool, which counts nothing');
  const costly = { fuel_kg: 1000, total_co2e_gwp100_kg: -9000, cost: 0.8 * 1045 - 0.05 * 9000 };
  expect(remarkOn(costly)).toBe('saves more CO₂e, but costs 578 more in fuel and time');
  expect(remarkOn({ total_co2e_gwp100_kg: -4000, cost: 0 })).toBeUndefined();
});

test('a level that cannot be flown names its limit', () => {
  const limits = { ceiling: true, lift_share: 0.34, thrust_share: 0, weather_share: 1 };
  expect(remarkOn({}, { status: 'infeasible', limits })).toBe(
    'cannot be flown: too heavy, near buffet on 34 % of the way',
  );
  expect(
    remarkOn({}, { status: 'outside_weather', limits: { ...limits, lift_share: 0, weather_share: 0.4 } }),
  ).toBe('weather is known for 40 % of the way only');
});

test('a link restores the settings of a plan, which the command line spells alike', () => {
  const settings = { ...DEFAULT_SETTINGS, carbonPrice: 120, metric: 'atr', horizon: 20 } as const;
  const link = new URLSearchParams(changedSettings(settings));
  expect(link.toString()).toBe('carbon_price=120&horizon=20&co2e_metric=atr');
  expect(parseSettings(link)).toEqual(settings);
  expect(parseSettings(new URLSearchParams('carbon_price=-5&horizon=7&cooling=hope'))).toEqual(
    DEFAULT_SETTINGS,
  );
  expect(planCommand(settings)).toBe(
    'contrails plan profile FLIGHT --uncertainty 50 --carbon-price 120 --horizon 20 --co2e-metric atr',
  );
  expect(bestMeans(settings)).toMatch(/CO₂e \(ATR, 20 years\) at 120 per tonne/);
});

test.each([
  ['not_robust', { kind: 'level', flight_level: 330 }, /too uncertain to recommend: cheaper in 90 %/],
  ['baseline_is_best', { kind: 'baseline' }, /^No other level costs less/],
  ['weather_too_short', { kind: 'level', flight_level: 330 }, /weather ends before/],
  ['no_feasible_profile', null, /No profile keeps all limits/],
])('without a recommendation the reason is told: %s', (reason, chosen, sentence) => {
  const plan = flightPlan(answer(chosen as object, { change: false, reason }), DEFAULT_SETTINGS);
  expect(plan.sentence).toMatch(sentence);
  expect(plan.isChange).toBe(false);
});

test('signs are shown, and zero has none', () => {
  expect([signed(1.26, 1), signed(-0.04, 1), signed(-3, 0)]).toEqual(['+1.3', '0.0', '−3']);
});
