/** Legend entries: scales with ticks at round values, and samples of shapes. */
import type { Theme } from '../stage/basemap-style.ts';
import {
  CONTRAIL_COLORS,
  type ColorScale,
  FORCING_COLORS,
  HUMIDITY_COLORS,
  INDEX_COLORS,
  TEMPERATURE_COLORS,
} from '../stage/color-scale.ts';
import { WIND_SAMPLE } from '../stage/wind-particles.ts';
import type { MapState } from './map-state.ts';
import {
  AREA_SWATCH,
  AVOID_SWATCH,
  BINARY_SWATCHES,
  type BinaryLayer,
  COMPUTED_SWATCH,
  isBinary,
  LINE_SWATCH,
  PIXEL_SWATCH,
  type Swatch,
  TRACK_SWATCHES,
  WIND_SWATCHES,
} from './shape-styles.ts';

export interface ScaleEntry {
  readonly title: string;
  readonly colors: ColorScale;
  /** Values with their labels, each drawn where the value is on the scale. */
  readonly ticks: readonly (readonly [value: number, label: string])[];
}

export interface SwatchEntry {
  readonly title: string;
  readonly swatch: Swatch;
}

export type LegendEntry = ScaleEntry | SwatchEntry;

/** Radiative forcing of contrails at a moment [W m-2]. */
export function contrailEntry(title: string): ScaleEntry {
  return {
    title,
    colors: CONTRAIL_COLORS,
    ticks: [-40, -10, 0, 10, 40].map((value) => [value, labelOf(value)]),
  };
}

export const FORCING_ENTRY: ScaleEntry = {
  title: 'Energy forcing, MJ per metre of flight',
  colors: FORCING_COLORS,
  ticks: [-2000, -500, 0, 500, 2000].map((value) => [1e6 * value, labelOf(value)]),
};
const HERE_ENTRY: ScaleEntry = {
  ...FORCING_ENTRY,
  title: 'Energy forcing computed on this device, MJ per metre of flight',
};
const INDEX_ENTRY: ScaleEntry = {
  title: 'Forecast index, 0 to 4',
  colors: INDEX_COLORS,
  ticks: [0, 1, 2, 3, 4].map((value) => [value, labelOf(value)]),
};
const TEMPERATURE_ENTRY: ScaleEntry = {
  title: 'Temperature, °C',
  colors: TEMPERATURE_COLORS,
  ticks: [-70, -60, -50, -40, -30].map((value) => [value + 273.15, labelOf(value)]),
};
export const HUMIDITY_ENTRY: ScaleEntry = {
  title: 'Relative humidity over ice, %',
  colors: HUMIDITY_COLORS,
  ticks: [0, 50, 100, 150].map((value) => [value / 100, labelOf(value)]),
};

const BINARY_NAMES: Readonly<Record<BinaryLayer, string>> = {
  sac: 'contrails form',
  issr: 'supersaturated over ice',
  pcr: 'contrails form and persist',
};

export function legendEntries(state: MapState, theme: Theme, isHere = false): LegendEntry[] {
  const { layer, weather, threshold, buffer } = state;
  const widened = buffer === 0 ? '' : `, widened by ${buffer} ${buffer === 1 ? 'cell' : 'cells'}`;
  return [
    ...(layer === 'index' ? [INDEX_ENTRY] : []),
    ...(layer === 'ef' && !isHere ? [FORCING_ENTRY] : []),
    ...(layer === 'ef' && isHere ? [HERE_ENTRY, { title: 'computed region', swatch: COMPUTED_SWATCH }] : []),
    ...(weather === 'temperature' ? [TEMPERATURE_ENTRY] : []),
    ...(weather === 'humidity' ? [HUMIDITY_ENTRY] : []),
    ...(isBinary(layer)
      ? [{ title: `${BINARY_NAMES[layer]}${widened}`, swatch: BINARY_SWATCHES[layer][theme] }]
      : []),
    ...(threshold > 0 ? [{ title: `index ${threshold} or more`, swatch: AVOID_SWATCH }] : []),
    ...(state.wind ? [{ title: `wind of ${WIND_SAMPLE.speed} m/s`, swatch: WIND_SWATCHES[theme] }] : []),
    ...(state.traffic ? [{ title: 'track of an aircraft', swatch: TRACK_SWATCHES[theme] }] : []),
    ...(state.segments ? [{ title: 'line in a satellite image', swatch: LINE_SWATCH }] : []),
    ...(state.detections ? [{ title: 'pixel that may be a contrail', swatch: PIXEL_SWATCH }] : []),
    ...(state.segments || state.detections ? [{ title: 'imaged area', swatch: AREA_SWATCH }] : []),
  ];
}

function labelOf(value: number): string {
  return value < 0 ? `−${-value}` : String(value);
}
