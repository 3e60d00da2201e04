/** Radiative forcing over the habits of the particles' size regime (Schumann et al. 2012), in double precision. */
import type { LoopBody, NumberTable, Vector, VectorLoop, VectorMath } from '../../vector/expression.ts';
import { reserveNumbers } from '../../vector/wasm/memory.ts';
import { EFFECTIVE_RADIUS_FITS, HABIT_COUNT, PUBLISHED_BOUNDS_UM, PUBLISHED_HABITS } from '../habits.ts';
import type { CocipParams } from '../params.ts';
import type { TableColumn } from '../plumes.ts';
import { HABIT_COEFFICIENTS, type HabitCoefficient } from '../radiative-forcing.ts';
import { parameter } from './parameters.ts';

/** No regime has more habits as published. */
const MAX_HABITS = 3;

const FIT_FIELDS = [
  'limitUm',
  'linear',
  'constant',
  'factor1',
  'decay1',
  'factor2',
  'decay2',
  'maxUm',
] as const;
const COEFFICIENT_FIELDS = Object.keys(HABIT_COEFFICIENTS) as HabitCoefficient[];
const FIELDS = ['weight', ...FIT_FIELDS, ...COEFFICIENT_FIELDS] as const;
type Field = (typeof FIELDS)[number];

const { habits: regimeHabits, weights: regimeWeights, starts: regimeStarts } = PUBLISHED_HABITS;

/** One record per regime and index of a habit in it; indices without a habit have the weight 0. */
const table = reserveNumbers(
  Array.from(regimeStarts.slice(0, -1), (start, regime) => {
    const end = regimeStarts[regime + 1] as number;
    return Array.from({ length: MAX_HABITS }, (_, k) => {
      const index = Math.min(start + k, end - 1);
      return recordOf(regimeHabits[index] as number, start + k < end ? (regimeWeights[index] as number) : 0);
    });
  }).flat(2),
);

function recordOf(habit: number, weight: number): number[] {
  const fit = EFFECTIVE_RADIUS_FITS[habit] as (typeof EFFECTIVE_RADIUS_FITS)[number];
  return [
    weight,
    ...FIT_FIELDS.map((name) => fit[name]),
    ...COEFFICIENT_FIELDS.map((name) => HABIT_COEFFICIENTS[name][habit] as number),
  ];
}

/** One record per regime and habit, for weights that are given. */
const givenTable = reserveNumbers(
  Array.from({ length: (regimeStarts.length - 1) * HABIT_COUNT }, (_, k) =>
    recordOf(k % HABIT_COUNT, 0),
  ).flat(),
);

/** Weights that {@link forceByGivenHabits} takes from now on. */
export function setHabitDistributions(weights: NonNullable<CocipParams['habitDistributions']>): void {
  weights.forEach((ofRegime, regime) => {
    ofRegime.forEach((weight, habit) => {
      givenTable.numbers[(regime * HABIT_COUNT + habit) * FIELDS.length] = weight;
    });
  });
}

/** Over the habits of the size regime as published. */
export const force: LoopBody<TableColumn> = (loop, m) => forceBy(loop, m, table, MAX_HABITS);

/** Over all habits, with the weights last set. */
export const forceByGivenHabits: LoopBody<TableColumn> = (loop, m) =>
  forceBy(loop, m, givenTable, HABIT_COUNT);

function forceBy(
  loop: VectorLoop<TableColumn>,
  m: VectorMath,
  weighted: NumberTable,
  perRegime: number,
): void {
  const radiusUm = m.mul(1e6, loop.load('radius'));
  const point = {
    radiusUm,
    temperature: loop.load('temperature'),
    opticalDepth: loop.load('opticalDepth'),
    cirrus: loop.load('cirrusOpticalDepth'),
    olr: loop.load('olr'),
    rsr: loop.load('rsr'),
    sdr: loop.load('sdr'),
    irradiance: loop.load('solarIrradiance'),
  };
  const regime = m.countOf(PUBLISHED_BOUNDS_UM.map((bound) => m.isAtMost(bound, radiusUm)));
  const longwave = loop.variable(0);
  const shortwave = loop.variable(0);
  const habits = Array.from({ length: perRegime }, (_, k) => {
    const records = { first: k * FIELDS.length, length: perRegime * FIELDS.length };
    const record = loop.chooseRecords(regime, weighted, records);
    const of = (field: Field) => loop.field(record, FIELDS.indexOf(field));
    return { of, weight: of('weight'), effectiveRadius: loop.variable(0) };
  });
  for (const { of, weight, effectiveRadius } of habits) {
    loop.whereAny(m.isLess(0, weight), () => {
      loop.assign(effectiveRadius, effectiveRadiusUm(loop, m, radiusUm, of));
      const forcing = longwaveOfHabit(loop, m, point, loop.read(effectiveRadius), of);
      loop.assign(longwave, m.add(loop.read(longwave), m.mul(weight, forcing)));
    });
  }
  const isDay = m.isLess(0, point.sdr);
  loop.whereAny(isDay, () => {
    const sun = sunOf(loop, m, point);
    for (const { of, weight, effectiveRadius } of habits) {
      loop.whereAny(m.isLess(0, weight), () => {
        const forcing = shortwaveOfHabit(loop, m, point, sun, loop.read(effectiveRadius), of);
        loop.assign(shortwave, m.add(loop.read(shortwave), m.mul(weight, m.only(isDay, forcing))));
      });
    }
  });
  const [rfLw, rfSw] = [loop.read(longwave), loop.read(shortwave)];
  loop.store('rfLw', rfLw);
  loop.store('rfSw', rfSw);
  loop.store(
    'rfNet',
    m.add(
      m.mul(parameter(loop, 'rfLwEnhancementFactor'), rfLw),
      m.mul(parameter(loop, 'rfSwEnhancementFactor'), rfSw),
    ),
  );
}

type Point = Readonly<
  Record<
    'radiusUm' | 'temperature' | 'opticalDepth' | 'cirrus' | 'olr' | 'rsr' | 'sdr' | 'irradiance',
    Vector
  >
>;
type FieldOf = (field: Field) => Vector;

function effectiveRadiusUm(loop: VectorLoop<TableColumn>, m: VectorMath, R: Vector, of: FieldOf): Vector {
  const share = loop.variable(of('linear'));
  const isLarge = m.isLess(of('limitUm'), R);
  loop.whereAny(isLarge, () => {
    const fit = m.add(
      of('constant'),
      m.mul(of('factor1'), m.exp(m.mul(of('decay1'), R))),
      m.mul(of('factor2'), m.exp(m.mul(of('decay2'), R))),
    );
    loop.assign(share, m.select(isLarge, fit, of('linear')));
  });
  return m.atMost(m.mul(loop.read(share), R), of('maxUm'));
}

function longwaveOfHabit(
  loop: VectorLoop<TableColumn>,
  m: VectorMath,
  { olr, temperature, cirrus, opticalDepth }: Point,
  effectiveRadius: Vector,
  of: FieldOf,
): Vector {
  const contrast = m.sub(olr, m.mul(of('kT'), m.sub(temperature, of('t0'))));
  const size = m.sub(1, m.exp(m.mul(m.neg(of('deltaLr')), effectiveRadius)));
  const emissivity = m.sub(1, m.exp(m.mul(m.neg(of('deltaTau')), size, opticalDepth)));
  const belowCirrus = whereCloudy(loop, m, cirrus, () => m.mul(m.neg(of('deltaLc')), cirrus));
  return m.atLeast(m.mul(contrast, belowCirrus, emissivity), 0);
}

/** What the shortwave forcing of all habits has in common. */
interface Sun {
  readonly slant: Vector;
  /** ln 2(1 − µ). */
  readonly lnAngle: Vector;
  readonly earthAlbedo: Vector;
}

function sunOf(loop: VectorLoop<TableColumn>, m: VectorMath, { sdr, rsr, irradiance }: Point): Sun {
  const mu = m.atMost(m.div(sdr, irradiance), 1);
  return {
    slant: loop.keep(m.add(mu, 1e-6)),
    lnAngle: loop.keep(m.log(m.mul(2, m.sub(1, mu)))),
    earthAlbedo: loop.keep(m.atMost(m.atLeast(m.div(rsr, sdr), 0), 1)),
  };
}

function shortwaveOfHabit(
  loop: VectorLoop<TableColumn>,
  m: VectorMath,
  { sdr, cirrus, opticalDepth }: Point,
  { slant, lnAngle, earthAlbedo }: Sun,
  effectiveRadius: Vector,
  of: FieldOf,
): Vector {
  const size = m.sub(1, m.exp(m.mul(m.neg(of('deltaSr')), effectiveRadius)));
  const slantTau = m.div(m.mul(opticalDepth, m.sub(1, m.mul(of('fR'), size))), slant);
  const angle = m.exp(m.mul(of('bMu'), lnAngle));
  const albedo = m.mul(
    m.sub(1, m.exp(m.mul(m.neg(of('gUp')), slantTau))),
    m.add(of('cMu'), m.mul(of('aMu'), m.exp(m.mul(m.neg(of('gLow')), slantTau)), m.sub(angle, 1))),
  );
  const belowCirrus = whereCloudy(loop, m, cirrus, () =>
    m.mul(cirrus, m.sub(of('deltaScAux'), m.div(of('deltaSc'), slant))),
  );
  const transmitted = m.sub(of('tA'), earthAlbedo);
  return m.atMost(m.mul(m.neg(sdr), m.square(transmitted), albedo, belowCirrus), 0);
}

/** Exponential of the effect of natural cirrus above; exactly 1 without cirrus, whatever the other rows have. */
function whereCloudy(
  loop: VectorLoop<TableColumn>,
  m: VectorMath,
  cirrus: Vector,
  exponent: () => Vector,
): Vector {
  const share = loop.variable(1);
  const isClear = m.isEqual(cirrus, 0);
  loop.whereAny(m.not(isClear), () => loop.assign(share, m.select(isClear, 1, m.exp(exponent()))));
  return loop.read(share);
}
