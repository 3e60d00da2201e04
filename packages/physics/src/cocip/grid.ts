/** Contrails of grid cells: every cell is a flight by itself, a short cruise segment at its centre. */
import { advectLatitude, advectLongitude } from '../geodesy/advection.ts';
import {
  destinationLatitude,
  destinationLongitude,
  haversineM,
  segmentCosA,
  segmentSinA,
} from '../geodesy/sphere.ts';
import { scoped } from '../vector/wasm/memory.ts';
import { shearAcrossSegments } from './chain.ts';
import type { ContrailSources } from './contrail-sources.ts';
import { completeFormation, type FormationReport, formContrails } from './formation.ts';
import type { CocipParams } from './params.ts';
import { isPersistent } from './persistence.ts';
import {
  appendPlumes,
  carriedColumns,
  isAdrift,
  keepMarkedUnordered,
  makePlumes,
  PLUME_COLUMNS,
  type PlumeColumn,
  type Plumes,
  type PlumeTable,
} from './plumes.ts';
import { advancePlumes, type SegmentGeometry } from './step.ts';
import type { ScaleHumidity, Weather } from './weather.ts';

/** How the segment of a cell lies. */
export type CellSegment =
  /** No direction: the shear normal to the segment is a fixed share of the total shear. */
  | { readonly kind: 'free'; readonly normalShearShare: number }
  /** A head and a tail on both sides of the centre, drifting on their own. */
  | { readonly kind: 'directed'; readonly azimuthDeg: number; readonly lengthM: number };

export interface GridContrails {
  /** Energy forcing per metre of flight [J m⁻¹]; 0 where no contrail survived a step. */
  readonly efPerM: Float64Array;
  /** Age at the last step survived [s]; 0 where there was none. */
  readonly ageS: Float64Array;
  /** Part of that age without energy [s]: radiation begins after the weather, or ends before it. */
  readonly unforcedS: Float64Array;
  readonly report: FormationReport;
}

/** Sees the surviving points of a step. */
export type GridStepObserver = (plumes: PlumeTable, count: number, toMs: number) => void;

/** Follows the contrails of all cells; `waypoint` of a source row is its cell, 0 to count − 1. */
export function followGridContrails(
  sources: ContrailSources,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
  segment: CellSegment,
  params: CocipParams,
  observe?: GridStepObserver,
  /** Columns that the observer reads. */
  observed: readonly PlumeColumn[] = PLUME_COLUMNS,
): GridContrails {
  return scoped(() => follow(sources, weather, scaleHumidity, segment, params, observe, observed));
}

function follow(
  sources: ContrailSources,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
  segment: CellSegment,
  params: CocipParams,
  observe: GridStepObserver | undefined,
  observed: readonly PlumeColumn[],
): GridContrails {
  const { plumes: young, report } = formContrails(sources, weather, scaleHumidity, params);
  const efPerM = new Float64Array(sources.count);
  const ageS = new Float64Array(sources.count);
  const unforcedS = new Float64Array(sources.count);
  if (young.count === 0) return { efPerM, ageS, unforcedS, report };
  const geometry =
    segment.kind === 'free'
      ? freeSegments(segment.normalShearShare)
      : directedSegments(sources, young, segment);
  completeFormation(young, weather, geometry, params);
  observe?.(young.columns, young.count, Number.NaN);

  const perMetre = segment.kind === 'free' ? 1 : 1 / segment.lengthM;
  const active = makePlumes(young.count);
  const marks = new Uint8Array(young.count);
  const dtMs = params.dtIntegrationS * 1000;
  const [earliest, latest] = timeRange(sources);
  const lastMs = Math.floor(latest / dtMs) * dtMs + params.maxAgeS * 1000;
  const carried = carriedColumns(params);
  const kept = [...new Set([...carried, ...SUMMED_COLUMNS, ...(observe === undefined ? [] : observed)])];
  let joinedBefore = Number.NEGATIVE_INFINITY;
  for (let toMs = Math.ceil(earliest / dtMs) * dtMs; toMs <= lastMs; toMs += dtMs) {
    joinFormedBetween(young, active, joinedBefore, toMs, carried);
    joinedBefore = toMs;
    if (active.count === 0) {
      if (toMs > latest) break;
      continue;
    }
    noteAdrift(active, unforcedS, params.dtIntegrationS);
    advancePlumes(active.columns, active.count, toMs, weather, scaleHumidity, geometry, params);
    keepLiving(active, marks, params, kept);
    addSurvivors(active, efPerM, ageS, unforcedS, perMetre);
    observe?.(active.columns, active.count, toMs);
  }
  return { efPerM, ageS, unforcedS, report };
}

function timeRange(sources: ContrailSources): [earliest: number, latest: number] {
  let earliest = Number.POSITIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < sources.count; i++) {
    earliest = Math.min(earliest, sources.timeMs[i] as number);
    latest = Math.max(latest, sources.timeMs[i] as number);
  }
  return [earliest, latest];
}

function joinFormedBetween(
  young: Plumes,
  active: Plumes,
  fromMs: number,
  toMs: number,
  carried: readonly PlumeColumn[],
): void {
  const { formationTimeMs } = young.columns;
  const joins = (i: number) =>
    (formationTimeMs[i] as number) >= fromMs && (formationTimeMs[i] as number) < toMs;
  for (let i = 0; i < young.count; i++) {
    if (!joins(i)) continue;
    const first = i;
    while (i + 1 < young.count && joins(i + 1)) i++;
    appendPlumes(active, young.columns, first, i + 1, carried);
  }
}

function keepLiving(
  plumes: Plumes,
  marks: Uint8Array,
  params: CocipParams,
  kept: readonly PlumeColumn[],
): void {
  const p = plumes.columns;
  for (let i = 0; i < plumes.count; i++) {
    marks[i] = isPersistent(
      params,
      p.age[i] as number,
      p.opticalDepth[i] as number,
      p.particlesPerM3[i] as number,
      p.altitude[i] as number,
      p.length[i] as number,
      p.latitude[i] as number,
    )
      ? 1
      : 0;
  }
  keepMarkedUnordered(plumes, marks, kept);
}

/** What is added up after a step. */
const SUMMED_COLUMNS: readonly PlumeColumn[] = ['waypoint', 'energyForcing', 'age'];

/** A contrail whose wind or vertical velocity is missing is lost in this step, which counts as unforced. */
function noteAdrift({ columns, count }: Plumes, unforcedS: Float64Array, dtS: number): void {
  for (let i = 0; i < count; i++) {
    if (!isAdrift(columns, i)) continue;
    const cell = columns.waypoint[i] as number;
    unforcedS[cell] = (unforcedS[cell] as number) + dtS;
  }
}

/** An unknown energy is not added: the contrail lives through the step, and the time is counted as unforced. */
function addSurvivors(
  plumes: Plumes,
  efPerM: Float64Array,
  ageS: Float64Array,
  unforcedS: Float64Array,
  perMetre: number,
): void {
  const { waypoint, energyForcing, age } = plumes.columns;
  for (let i = 0; i < plumes.count; i++) {
    const cell = waypoint[i] as number;
    const energy = energyForcing[i] as number;
    if (Number.isNaN(energy)) {
      unforcedS[cell] = (unforcedS[cell] as number) + (age[i] as number) - (ageS[cell] as number);
    } else {
      efPerM[cell] = (efPerM[cell] as number) + energy * perMetre;
    }
    ageS[cell] = age[i] as number;
  }
}

/** One metre of contrail without a direction, never stretched. */
function freeSegments(normalShearShare: number): SegmentGeometry {
  return {
    measure(plumes, count) {
      plumes.length.fill(1, 0, count);
    },
    shearAcross(plumes, count) {
      const { shear, normalShear } = plumes;
      for (let i = 0; i < count; i++) normalShear[i] = normalShearShare * (shear[i] as number);
    },
  };
}

/** Ends of a segment, by cell, so they stay with their plume when others leave the set. */
interface SegmentEnds {
  readonly headLongitude: Float64Array;
  readonly headLatitude: Float64Array;
  readonly tailLongitude: Float64Array;
  readonly tailLatitude: Float64Array;
}

function directedSegments(
  sources: ContrailSources,
  young: Plumes,
  segment: { readonly azimuthDeg: number; readonly lengthM: number },
): SegmentGeometry {
  const column = () => new Float64Array(sources.count);
  const ends: SegmentEnds = {
    headLongitude: column(),
    headLatitude: column(),
    tailLongitude: column(),
    tailLatitude: column(),
  };
  const half = segment.lengthM / 2;
  for (let i = 0; i < young.count; i++) {
    const cell = young.columns.waypoint[i] as number;
    const longitude = young.columns.longitude[i] as number;
    const latitude = young.columns.latitude[i] as number;
    ends.headLongitude[cell] = destinationLongitude(longitude, latitude, segment.azimuthDeg, half);
    ends.headLatitude[cell] = destinationLatitude(latitude, segment.azimuthDeg, half);
    ends.tailLongitude[cell] = destinationLongitude(longitude, latitude, segment.azimuthDeg, -half);
    ends.tailLatitude[cell] = destinationLatitude(latitude, segment.azimuthDeg, -half);
  }
  return {
    measure(plumes, count) {
      const { waypoint, length, sinA, cosA } = plumes;
      for (let i = 0; i < count; i++) {
        const cell = waypoint[i] as number;
        const tailLongitude = ends.tailLongitude[cell] as number;
        const tailLatitude = ends.tailLatitude[cell] as number;
        const headLongitude = ends.headLongitude[cell] as number;
        const headLatitude = ends.headLatitude[cell] as number;
        length[i] = haversineM(tailLongitude, tailLatitude, headLongitude, headLatitude);
        sinA[i] = segmentSinA(tailLongitude, tailLatitude, headLongitude, headLatitude);
        cosA[i] = segmentCosA(tailLongitude, tailLatitude, headLongitude, headLatitude);
      }
    },
    shearAcross: shearAcrossSegments,
    move(plumes, count, toMs, weather) {
      moveEnd(
        plumes,
        count,
        toMs,
        weather,
        ends.headLongitude,
        ends.headLatitude,
        sources,
        -0.5 * segment.lengthM,
      );
      moveEnd(
        plumes,
        count,
        toMs,
        weather,
        ends.tailLongitude,
        ends.tailLatitude,
        sources,
        0.5 * segment.lengthM,
      );
    },
  };
}

/**
 * Moves one end of each segment with the wind at that end. In its first step an end has been in the air for longer or
 * shorter than the centre, by the time the aircraft takes for `leadM`.
 */
function moveEnd(
  plumes: PlumeTable,
  count: number,
  toMs: number,
  weather: Weather,
  endLongitude: Float64Array,
  endLatitude: Float64Array,
  sources: ContrailSources,
  leadM: number,
): void {
  const [longitude, latitude, temperature, u, v] = Array.from(
    { length: 5 },
    () => new Float64Array(count),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
  for (let i = 0; i < count; i++) {
    const cell = plumes.waypoint[i] as number;
    longitude[i] = endLongitude[cell] as number;
    latitude[i] = endLatitude[cell] as number;
  }
  weather.sample(
    [temperature, u, v],
    { longitude, latitude, level: plumes.level, timeMs: plumes.timeMs },
    count,
  );
  for (let i = 0; i < count; i++) {
    const cell = plumes.waypoint[i] as number;
    const isFirst = plumes.timeMs[i] === plumes.formationTimeMs[i];
    const leadS = isFirst ? leadM / (sources.trueAirspeed[cell] as number) : 0;
    const dtS = (toMs - (plumes.timeMs[i] as number)) / 1000 + leadS;
    const [lon, lat] = [longitude[i] as number, latitude[i] as number];
    endLongitude[cell] = advectLongitude(lon, lat, u[i] as number, v[i] as number, dtS);
    endLatitude[cell] = advectLatitude(lon, lat, u[i] as number, v[i] as number, dtS);
  }
}
