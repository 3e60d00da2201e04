/**
 * Errors of humidity: one systematic, and a random field in space and time whose covariance is a Gaussian of the distance in units
 * of its lengths, as a sum of waves (random Fourier features). The same sample is the same atmosphere for every flight and level.
 */
import { EARTH_RADIUS_M } from '../constants.ts';
import { degreesToRadians } from '../units.ts';
import { normalQuantile } from './normal.ts';
import { type DrawIndex, uniformsAt } from './philox.ts';

export const HUMIDITY_ERROR = {
  systematic: 0.04,
  field: 0.11,
  lengthKm: 150,
  heightM: 500,
  timeH: 6,
} as const;

const WAVES = 32;
const DIMENSIONS = 5;
/** 2000-01-01 [s since 1970], so phases keep their digits. */
const EPOCH_S = 946_684_800;

/** The waves of one sample: five wave numbers and a phase of each. */
export interface HumidityWaves {
  readonly numbers: Float64Array;
  readonly phases: Float64Array;
}

export function humidityWavesAt(index: DrawIndex): HumidityWaves {
  const numbers = new Float64Array(DIMENSIONS * WAVES);
  const phases = new Float64Array(WAVES);
  for (let k = 0; k < WAVES; k++) {
    const first = uniformsAt(index, 3 * k);
    const second = uniformsAt(index, 3 * k + 1);
    const third = uniformsAt(index, 3 * k + 2);
    numbers.set([first.a, first.b, second.a, second.b, third.a].map(normalQuantile), DIMENSIONS * k);
    phases[k] = 2 * Math.PI * third.b;
  }
  return { numbers, phases };
}

/** Waypoints of a flight in space and time. */
export interface FieldPoints {
  readonly longitude: Float64Array;
  readonly latitude: Float64Array;
  /** Pressure altitude [m]. */
  readonly altitudeM: Float64Array;
  readonly timeMs: Float64Array;
}

/** The points in units of the lengths of the field, five numbers each: the same for all samples. */
export function fieldCoordinates({ longitude, latitude, altitudeM, timeMs }: FieldPoints): Float64Array {
  const scaled = EARTH_RADIUS_M / (1000 * HUMIDITY_ERROR.lengthKm);
  const coordinates = new Float64Array(DIMENSIONS * timeMs.length);
  for (let i = 0; i < timeMs.length; i++) {
    const lambda = degreesToRadians(longitude[i] as number);
    const phi = degreesToRadians(latitude[i] as number);
    const at = DIMENSIONS * i;
    coordinates[at] = scaled * Math.cos(phi) * Math.cos(lambda);
    coordinates[at + 1] = scaled * Math.cos(phi) * Math.sin(lambda);
    coordinates[at + 2] = scaled * Math.sin(phi);
    coordinates[at + 3] = (altitudeM[i] as number) / HUMIDITY_ERROR.heightM;
    coordinates[at + 4] = ((timeMs[i] as number) / 1000 - EPOCH_S) / (3600 * HUMIDITY_ERROR.timeH);
  }
  return coordinates;
}

/** The field at points given by their {@link fieldCoordinates}; variance 1 over samples. */
export function humidityField({ numbers, phases }: HumidityWaves, coordinates: Float64Array): Float64Array {
  const values = new Float64Array(coordinates.length / DIMENSIONS);
  const scale = Math.sqrt(2 / WAVES);
  for (let i = 0; i < values.length; i++) {
    let sum = 0;
    for (let k = 0; k < WAVES; k++) {
      let angle = 0;
      for (let d = 0; d < DIMENSIONS; d++) {
        angle += (numbers[DIMENSIONS * k + d] as number) * (coordinates[DIMENSIONS * i + d] as number);
      }
      sum += Math.cos(angle + (phases[k] as number));
    }
    values[i] = scale * sum;
  }
  return values;
}

/** Factor on specific humidity where the systematic error and the field have these values; its mean is 1. */
export function humidityFactor(systematic: number, field: number): number {
  const { systematic: sigmaS, field: sigmaF } = HUMIDITY_ERROR;
  return Math.exp(sigmaS * systematic + sigmaF * field - 0.5 * (sigmaS * sigmaS + sigmaF * sigmaF));
}
