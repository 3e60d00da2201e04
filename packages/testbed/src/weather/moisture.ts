/**
 * Moist and dry air: waves of many sizes, tilted and layered, whose sum is close to a standard normal number
 * everywhere.
 */
import { type Belt, type Circle, makeCircle, makeSeries, type Series, type Wave } from './waves.ts';

const MOISTURE_WAVENUMBERS = [0, 1, 2, 4, 6, 9, 13, 18, 24, 30, 36, 42] as const;

const WAVES_PER_NUMBER = 4;

/** How fast the pattern travels eastward [° d⁻¹], near the speed of the air that carries it. */
const DRIFT_DEG_PER_DAY: Readonly<Record<Belt, readonly [slow: number, fast: number]>> = {
  north: [10, 22],
  tropics: [-6, 4],
  south: [12, 24],
};

/** Moist layers come and go while they drift: one that holds a contrail has dried out after some hours [rad d⁻¹]. */
const TURNOVER = [6.3, 11.7] as const;

/** Layers of a few hundred kilometres have most of the variance [wavenumber]. */
const MAX_FULL_WAVE = 16;
const SHORT_WAVE_DECAY = 60;

export function makeMoisture(random: () => number): Wave[] {
  const waves: Wave[] = [];
  const sign = () => (random() < 0.5 ? -1 : 1);
  const between = (low: number, high: number) => low + (high - low) * random();
  for (const belt of ['north', 'tropics', 'south'] as const) {
    const [slow, fast] = DRIFT_DEG_PER_DAY[belt];
    MOISTURE_WAVENUMBERS.forEach((m, term) => {
      for (let i = 0; i < WAVES_PER_NUMBER; i++) {
        waves.push({
          term,
          meridional: sign() * (2 + 1.8 * random() * m),
          vertical: sign() * (3 + 9 * random()),
          frequency:
            m === 0
              ? 1 + random()
              : m * between(slow, fast) * (Math.PI / 180) + sign() * between(...TURNOVER),
          phase: 2 * Math.PI * random(),
          amplitude: m === 0 ? 0.04 : Math.min(1, m / MAX_FULL_WAVE) / (1 + m / SHORT_WAVE_DECAY),
          belt,
        });
      }
    });
  }
  return waves;
}

/** Moisture along one circle of latitude after the other. */
export interface MoistureRows {
  moveTo(latitudeDeg: number, days: number): void;
  /** Moisture at every longitude at a log-pressure height. */
  readInto(out: Float64Array, height: number): void;
}

/**
 * The angle of a wave is one number of its row plus one of its height, so sines and cosines are needed once for each row and
 * each height, and not for both together.
 */
export function makeMoistureRows(waves: readonly Wave[], longitudesDeg: Float64Array): MoistureRows {
  const terms = MOISTURE_WAVENUMBERS.length;
  const circle = makeCircle(longitudesDeg, MOISTURE_WAVENUMBERS);
  const termOf = Uint8Array.from(waves, ({ term }) => term);
  const row = makeSeries(waves.length);
  const atHeight = new Map<number, Series>();
  const series = makeSeries(terms);
  /** Undefined when the row is as it should be. */
  let next: { readonly latitudeDeg: number; readonly days: number } | undefined;

  const fillRow = ({ latitudeDeg, days }: NonNullable<typeof next>) => {
    const latitudeRad = (latitudeDeg * Math.PI) / 180;
    const cosine = Math.max(Math.cos(latitudeRad), 0);
    const belts = beltShares(latitudeDeg);
    // Short waves end before the meridians meet; at the poles themselves only the zonal mean is left.
    const termShares = MOISTURE_WAVENUMBERS.map((m) => (m === 0 ? 1 : cosine ** Math.max(1, m / 14)));
    const strengths = waves.map(
      ({ amplitude, belt, term }) => amplitude * belts[belt] * (termShares[term] as number),
    );
    const variance = strengths.reduce((sum, strength) => sum + 0.5 * strength * strength, 0);
    const scale = 1 / Math.sqrt(variance);
    waves.forEach(({ meridional, frequency, phase }, k) => {
      const angle = meridional * latitudeRad - frequency * days + phase;
      const strength = scale * (strengths[k] as number);
      row.cosine[k] = strength * Math.cos(angle);
      row.sine[k] = strength * Math.sin(angle);
    });
  };

  return {
    moveTo(latitudeDeg, days) {
      next = { latitudeDeg, days };
    },
    readInto(out, height) {
      if (next !== undefined) fillRow(next);
      next = undefined;
      let turn = atHeight.get(height);
      if (turn === undefined) {
        turn = {
          cosine: Float64Array.from(waves, ({ vertical }) => Math.cos(vertical * height)),
          sine: Float64Array.from(waves, ({ vertical }) => Math.sin(vertical * height)),
        };
        atHeight.set(height, turn);
      }
      series.cosine.fill(0);
      series.sine.fill(0);
      addTurned(series, row, turn, termOf);
      sumAlong(out, circle, series);
    },
  };
}

/** Adds waves to the terms of a series, each turned by an angle. */
function addTurned(series: Series, waves: Series, turn: Series, termOf: Uint8Array): void {
  for (let k = 0; k < termOf.length; k++) {
    const term = termOf[k] as number;
    const cosine = waves.cosine[k] as number;
    const sine = waves.sine[k] as number;
    const turnCosine = turn.cosine[k] as number;
    const turnSine = turn.sine[k] as number;
    series.cosine[term] = (series.cosine[term] as number) + cosine * turnCosine - sine * turnSine;
    series.sine[term] = (series.sine[term] as number) - sine * turnCosine - cosine * turnSine;
  }
}

function sumAlong(out: Float64Array, circle: Circle, { cosine, sine }: Series): void {
  const terms = cosine.length;
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    for (let term = 0, at = i * terms; term < terms; term++, at++) {
      sum +=
        (cosine[term] as number) * (circle.cosine[at] as number) +
        (sine[term] as number) * (circle.sine[at] as number);
    }
    out[i] = sum;
  }
}

/** The variances of the belts add up to one. */
function beltShares(latitudeDeg: number): Readonly<Record<Belt, number>> {
  const north = 1 / (1 + Math.exp((24 - latitudeDeg) / 4));
  const south = 1 / (1 + Math.exp((24 + latitudeDeg) / 4));
  return { north: Math.sqrt(north), tropics: Math.sqrt(1 - north - south), south: Math.sqrt(south) };
}
