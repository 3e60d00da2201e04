/** Contrail model results for a flight, as the views show them. */
import type { CocipResult, FlightTotals } from '@contrails/client';
import { toUnit } from '../grid/grid.ts';
import { contrailCo2e, type Horizon, type Metric, metricLabel } from '../shell/metric.ts';
import { CONTRAIL_COLORS, type ColorScale, colorAt, cssColor, FORCING_COLORS } from '../stage/color-scale.ts';
import { distanceKm, type FlightInput, type Waypoint } from '../track.ts';

export interface ResultPoint extends Waypoint {
  /** Of the contrail of the segment that begins here [J]; null where it is unknown. */
  readonly energyForcing: number | null;
  readonly contrailAgeMin: number | null;
  readonly sac: number | null;
  readonly rhi: number | null;
  /** Length of the segment that begins here [km]. */
  readonly segmentKm: number;
}

export interface Totals {
  readonly distanceKm: number;
  readonly contrailKm: number;
  readonly fuelKg: number | null;
  readonly co2Kg: number | null;
  readonly energyForcing: number | null;
  /** Of contrails as GWP with efficacy; null where it is unknown. */
  readonly gwpKg: Readonly<Record<Horizon, number>> | null;
}

/** The contrail after a step of the model. */
export interface ContrailFrame {
  readonly timeMs: number;
}

export interface FlightResult {
  readonly flight: FlightInput;
  readonly answer: CocipResult;
  readonly points: readonly ResultPoint[];
  readonly totals: Totals;
  readonly frames: readonly ContrailFrame[];
}

export function flightResult(flight: FlightInput, answer: CocipResult): FlightResult {
  const points = pointsOf(answer);
  return { flight, answer, points, totals: totalsOf(points, answer), frames: framesOf(answer) };
}

function pointsOf(answer: CocipResult): ResultPoint[] {
  const { time = [], longitude = [], latitude = [], altitude = [] } = answer;
  const at = (k: number) => ({ longitude: longitude[k] ?? 0, latitude: latitude[k] ?? 0 });
  const { rhi = [] } = answer;
  return time.map((text, k) => ({
    ...at(k),
    timeMs: Date.parse(text),
    altitudeFt: altitude[k] ?? 0,
    energyForcing: answer.energy_forcing[k] ?? null,
    contrailAgeMin: answer.contrail_age[k] ?? null,
    sac: answer.sac[k] ?? null,
    rhi: rhi[k] ?? null,
    segmentKm: k + 1 < time.length ? distanceKm(at(k), at(k + 1)) : 0,
  }));
}

function totalsOf(points: readonly ResultPoint[], answer: CocipResult): Totals {
  const { totals } = answer;
  const one: FlightTotals = (Array.isArray(totals) ? totals[0] : totals) ?? {};
  const sum = (of: readonly ResultPoint[]) => of.reduce((km, { segmentKm }) => km + segmentKm, 0);
  return {
    distanceKm: sum(points),
    contrailKm: sum(points.filter(({ energyForcing }) => energyForcing !== null && energyForcing !== 0)),
    fuelKg: one.fuel_burn ?? null,
    co2Kg: one.co2 ?? null,
    energyForcing: one.energy_forcing ?? null,
    gwpKg:
      one.co2e_gwp20 == null || one.co2e_gwp50 == null || one.co2e_gwp100 == null
        ? null
        : { 20: one.co2e_gwp20, 50: one.co2e_gwp50, 100: one.co2e_gwp100 },
  };
}

/** CO2 equivalent of the contrails [kg]; null where it is unknown. */
export function co2eOf({ energyForcing, gwpKg }: Totals, metric: Metric): number | null {
  return energyForcing === null || gwpKg === null ? null : contrailCo2e({ energyForcing, gwpKg }, metric);
}

/** One sentence that explains the numbers. */
export function meaningOf(totals: Totals, metric: Metric): string {
  const { contrailKm, co2Kg } = totals;
  const co2e = co2eOf(totals, metric);
  if (contrailKm === 0 || co2e === null || co2e === 0) {
    return 'This flight leaves no lasting contrail, so only its CO₂ warms.';
  }
  const ratio = co2Kg === null || co2Kg === 0 ? undefined : Math.abs(co2e) / co2Kg;
  const times = ratio === undefined ? '' : ` ${shareText(ratio)} the CO₂ of its fuel`;
  const [years, by] = [`over ${metric.horizon} years`, ` (${metricLabel(metric)})`];
  return co2e < 0
    ? `The contrails of this flight cool: ${years} they offset${times === '' ? ' some CO₂' : times}${by}.`
    : `The contrails of this flight warm: ${years} as much as${times === '' ? ' further CO₂' : times}${by}.`;
}

function shareText(ratio: number): string {
  if (ratio < 0.01) return 'less than one hundredth of';
  if (ratio < 0.95) return `${Math.round(100 * ratio)} % of`;
  return ratio < 1.05 ? 'about' : `${ratio.toPrecision(2)} times`;
}

/** Of a track without a contrail. */
export const PLAIN_TRACK = '#9fb2c4';

/** Segments of the track, each with the colour of its energy forcing per metre. */
export function trackShapes(points: readonly ResultPoint[]): GeoJSON.FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: points.slice(0, -1).flatMap((point, k): GeoJSON.Feature[] => {
      const next = points[k + 1];
      if (next === undefined || Math.abs(next.longitude - point.longitude) > 180) return [];
      const { energyForcing, segmentKm } = point;
      const hasContrail = energyForcing !== null && energyForcing !== 0;
      const perMetre = hasContrail ? energyForcing / Math.max(1000 * segmentKm, 1) : 0;
      return [
        {
          type: 'Feature',
          properties: {
            color: hasContrail ? colorOf(perMetre, FORCING_COLORS) : PLAIN_TRACK,
            width: hasContrail ? 5 : 2,
            index: k,
            energy_forcing: energyForcing,
            time: new Date(point.timeMs).toISOString(),
            altitude_ft: point.altitudeFt,
          },
          geometry: {
            type: 'LineString',
            coordinates: [
              [point.longitude, point.latitude],
              [next.longitude, next.latitude],
            ],
          },
        },
      ];
    }),
  };
}

function colorOf(value: number, colors: ColorScale): string {
  return cssColor({ ...colorAt(colors, toUnit(value, colors.scale)), opacity: 1 });
}

function featuresOf(answer: CocipResult) {
  return answer.contrail?.features ?? [];
}

function framesOf(answer: CocipResult): ContrailFrame[] {
  const times = new Set(featuresOf(answer).map(({ properties }) => Date.parse(properties.time)));
  return [...times].sort((a, b) => a - b).map((timeMs) => ({ timeMs }));
}

/** All contrail lines in short pieces; `time` selects those of one frame, the colour is the local forcing. */
export function contrailShapes(answer: CocipResult): GeoJSON.FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: featuresOf(answer).flatMap(({ geometry: { coordinates }, properties }) =>
      coordinates.slice(0, -1).flatMap((position, k): GeoJSON.Feature[] => {
        const next = coordinates[k + 1];
        if (next === undefined) return [];
        return [
          {
            type: 'Feature',
            properties: {
              time: Date.parse(properties.time),
              color: colorOf(properties.rf_net[k] ?? 0, CONTRAIL_COLORS),
              opacity: Math.min(0.35 + 2 * (properties.tau[k] ?? 0), 1),
            },
            geometry: { type: 'LineString', coordinates: [position.slice(0, 2), next.slice(0, 2)] },
          },
        ];
      }),
    ),
  };
}
