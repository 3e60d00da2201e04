/** Colours of regions, lines and tracks on the map; the legend draws its samples from the same table. */
import type { Theme } from '../stage/basemap-style.ts';
import type { Shapes } from '../stage/stage.ts';
import { WIND_SAMPLE } from '../stage/wind-particles.ts';
import type { LayerName } from './map-state.ts';

export type BinaryLayer = Extract<LayerName, 'pcr' | 'issr' | 'sac'>;

export function isBinary(layer: LayerName): layer is BinaryLayer {
  return layer === 'pcr' || layer === 'issr' || layer === 'sac';
}

/** How a sample of shapes looks in a legend. */
export interface Swatch {
  readonly fill: string;
  readonly fillOpacity: number;
  readonly line: string;
  readonly width: number;
  readonly dash?: readonly number[];
  /** The sample is a line of this length [px]. */
  readonly lengthPx?: number;
}

/** Three hues that keep apart on land and sea in both themes; the edges differ too, for eyes that see fewer colours. */
export const BINARY_SWATCHES: Readonly<Record<BinaryLayer, Readonly<Record<Theme, Swatch>>>> = {
  pcr: {
    dark: { fill: '#b06cff', fillOpacity: 0.5, line: '#d9b8ff', width: 1.8 },
    light: { fill: '#7a2fd0', fillOpacity: 0.42, line: '#4f1a91', width: 1.8 },
  },
  issr: {
    dark: { fill: '#3f9bff', fillOpacity: 0.45, line: '#a5d2ff', width: 0.8 },
    light: { fill: '#1f7ae0', fillOpacity: 0.4, line: '#0c4a94', width: 0.8 },
  },
  sac: {
    dark: { fill: '#9fb83a', fillOpacity: 0.36, line: '#d9ec86', width: 1.2, dash: [3, 2] },
    light: { fill: '#7d9412', fillOpacity: 0.36, line: '#4d5c08', width: 1.2, dash: [3, 2] },
  },
};

export const AVOID_SWATCH: Swatch = { fill: '#ff5d73', fillOpacity: 0.14, line: '#ff5d73', width: 1.6 };

/** Cyan, which no value of a field has, with a dark edge that keeps it visible on light ground. */
export const LINE_SWATCH: Swatch = { fill: '#00e0f0', fillOpacity: 1, line: '#05313a', width: 1 };
export const PIXEL_SWATCH: Swatch = { fill: '#00b8a9', fillOpacity: 0.85, line: '#00b8a9', width: 0 };
export const AREA_SWATCH: Swatch = {
  fill: '#00e0f0',
  fillOpacity: 0,
  line: '#00a5b3',
  width: 1.4,
  dash: [2, 2],
};
export const COMPUTED_SWATCH: Swatch = {
  fill: '#8a94a8',
  fillOpacity: 0,
  line: '#8a94a8',
  width: 1.6,
  dash: [4, 2],
};
/** As long as the trail of a particle in a wind of `WIND_SAMPLE.speed`. */
export const WIND_SWATCHES: Readonly<Record<Theme, Swatch>> = {
  dark: { fill: '#ffffff', fillOpacity: 0.6, line: '#ffffff', width: 0, lengthPx: WIND_SAMPLE.lengthPx },
  light: { fill: '#142846', fillOpacity: 0.7, line: '#142846', width: 0, lengthPx: WIND_SAMPLE.lengthPx },
};
export const TRACK_SWATCHES: Readonly<Record<Theme, Swatch>> = {
  dark: { fill: '#54d6a8', fillOpacity: 0.85, line: '#54d6a8', width: 0 },
  light: { fill: '#0c7a55', fillOpacity: 0.85, line: '#0c7a55', width: 0 },
};

const cached = new Map<Swatch, Shapes['layers']>();

/** Regions filled and edged as their sample; the same layers each time: new data replace old without a flash. */
export function regionLayers(swatch: Swatch): Shapes['layers'] {
  const known = cached.get(swatch);
  if (known !== undefined) return known;
  const { fill, fillOpacity, line, width, dash } = swatch;
  const layers: Shapes['layers'] = [
    { type: 'fill', paint: { 'fill-color': fill, 'fill-opacity': fillOpacity } },
    {
      type: 'line',
      paint: {
        'line-color': line,
        'line-width': width,
        ...(dash && { 'line-dasharray': [...dash] }),
      },
    },
  ];
  cached.set(swatch, layers);
  return layers;
}

/** Lines that a satellite saw, the surer the more solid, and pixels that may be contrails. */
export const SEGMENT_LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-cap': 'round' },
    paint: { 'line-color': LINE_SWATCH.line, 'line-width': 4.4, 'line-opacity': 0.7 },
  },
  {
    type: 'line',
    layout: { 'line-cap': 'round' },
    paint: {
      'line-color': LINE_SWATCH.fill,
      'line-width': 2.4,
      'line-opacity': ['interpolate', ['linear'], ['get', 'confidence'], 0.3, 0.55, 0.9, 1],
    },
  },
];
export const DETECTION_LAYERS: Shapes['layers'] = [
  {
    type: 'fill',
    paint: {
      'fill-color': PIXEL_SWATCH.fill,
      'fill-opacity': ['interpolate', ['linear'], ['get', 'confidence'], 0.3, 0.25, 0.9, 0.85],
      'fill-antialias': false,
    },
  },
];
