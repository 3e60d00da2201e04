/** The contrail model as the forecast runs it (segment-free, five-minute steps). */
import { findAircraftType } from '@contrails/physics/aircraft';
import {
  type CellAircraft,
  type CellSegment,
  type CocipParams,
  DEFAULT_COCIP_PARAMS,
} from '@contrails/physics/cocip';
import { createEmissionsModel, JET_A1, safBlend, selectEngine } from '@contrails/physics/emissions';
import type { ChosenScaling } from '../weather/humidity-scaling.ts';
import type { GridAircraft } from './aircraft.ts';

const HOUR_S = 3600;

/** Contrails are followed for so long, and weather has to be there for it. */
export const MAX_AGE_HOURS = 12;
export const TIME_STEP_MINUTES = 5;
/** How far contrails may leave the levels of the grid [hPa]. */
export const LEVEL_MARGIN_HPA = 20;

/** For which a run without direction comes closest to the mean over all directions. */
export const FREE_SEGMENT: CellSegment = { kind: 'free', normalShearShare: 0.665 };

export const GRID_COCIP_PARAMS: CocipParams = {
  ...DEFAULT_COCIP_PARAMS,
  dtIntegrationS: TIME_STEP_MINUTES * 60,
  maxAgeS: MAX_AGE_HOURS * HOUR_S,
  minAltitudeM: null,
  maxAltitudeM: null,
};

/** The performance tables know the A350 by its most common variant. */
const PERFORMANCE_TYPES: Readonly<Record<string, string>> = { A350: 'A359' };

/** Settings of a grid computed for one request; what is left out is as in the forecast. Plain data. */
export interface CustomGrid {
  readonly scaling: ChosenScaling;
  readonly dtIntegrationMinutes?: number | undefined;
  readonly maxAgeHours?: number | undefined;
  /** Direction of flight, clockwise from north [°]; the mean over all directions unless given. */
  readonly azimuthDeg?: number | undefined;
  /** Share of sustainable fuel [% by volume]; Jet A-1 unless given. */
  readonly safBlendPercent?: number | undefined;
  readonly aircraftMassKg?: number | undefined;
}

/** Length of a segment with a direction [m]. */
const SEGMENT_M = 1000;

export function segmentOf(custom: CustomGrid | undefined): CellSegment {
  return custom?.azimuthDeg === undefined
    ? FREE_SEGMENT
    : { kind: 'directed', azimuthDeg: custom.azimuthDeg, lengthM: SEGMENT_M };
}

export function gridParamsOf(custom: CustomGrid | undefined): CocipParams {
  return {
    ...GRID_COCIP_PARAMS,
    ...(custom?.dtIntegrationMinutes === undefined
      ? {}
      : { dtIntegrationS: custom.dtIntegrationMinutes * 60 }),
    ...(custom?.maxAgeHours === undefined ? {} : { maxAgeS: custom.maxAgeHours * HOUR_S }),
  };
}

export function cellAircraft({ type, engineUid }: GridAircraft, custom?: CustomGrid): CellAircraft {
  const aircraftType = PERFORMANCE_TYPES[type] ?? type;
  const fuel = custom?.safBlendPercent === undefined ? JET_A1 : safBlend(custom.safBlendPercent);
  const engine = selectEngine({ aircraftType, ...(engineUid === undefined ? {} : { engineUid }) });
  return {
    type: findAircraftType(aircraftType),
    emissions: createEmissionsModel(engine, fuel),
    fuel,
    massKg: custom?.aircraftMassKg,
  };
}

/**
 * The levels between which the weather is read [hPa]: those of the grid with the margin, widened to the next knots.
 * They are those of the whole grid, so results do not depend on which levels are computed together.
 */
export function levelRange(
  knots: ArrayLike<number>,
  highest: number,
  lowest: number,
): readonly [top: number, bottom: number] {
  const values = Array.from(knots);
  const first = values.findLastIndex((level) => level <= highest - LEVEL_MARGIN_HPA);
  const last = values.findIndex((level) => level >= lowest + LEVEL_MARGIN_HPA);
  const top = values[Math.max(first, 0)];
  const bottom = values[last < 0 ? values.length - 1 : last];
  if (top === undefined || bottom === undefined) throw new RangeError('the weather has no levels');
  return [top, bottom];
}
