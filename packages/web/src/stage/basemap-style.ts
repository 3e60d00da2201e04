import type { FilterSpecification, StyleSpecification } from 'maplibre-gl';

export type Theme = 'light' | 'dark';

interface Palette {
  readonly water: string;
  readonly land: string;
  readonly coast: string;
  readonly border: string;
  readonly name: string;
  readonly city: string;
  readonly halo: string;
  readonly graticule: string;
}

const PALETTES: Readonly<Record<Theme, Palette>> = {
  dark: {
    water: '#0b1219',
    land: '#1a242e',
    coast: '#5f7a93',
    border: '#36475a',
    name: '#93a7ba',
    city: '#d3dee8',
    halo: '#0b1219',
    graticule: '#18222c',
  },
  light: {
    water: '#dbe7f0',
    land: '#f6f5f1',
    coast: '#8ea3b5',
    border: '#c0c8cf',
    name: '#4c5c6b',
    city: '#1e2c39',
    halo: '#ffffff',
    graticule: '#cbdae6',
  },
};

/** Where layers of data go: fields below the coasts, lines and regions above them. */
export const SLOTS = { fields: 'coast', shapes: 'names' } as const;

export interface Basemap {
  readonly url: string;
  /** Whether countries are named; their letters are drawn on the main thread. */
  readonly hasNames: boolean;
  /** Cities and airports; undefined until the first picture stands. */
  readonly placesUrl: string | undefined;
  /** Names of countries of which the map shows a part; undefined until someone looks closer. */
  readonly namesUrl: string | undefined;
}

const NOTHING: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };

/** Square degrees from which a country is named at every zoom. */
const LARGE_AREA = 4;

/** From here on the middle of a large country may be outside of the map, and later that of any. */
export const NAMES_ZOOM = 3;
const ALL_NAMES_ZOOM = 5;

export function basemapStyle(
  theme: Theme,
  { url, hasNames, placesUrl, namesUrl }: Basemap,
): StyleSpecification {
  const palette = PALETTES[theme];
  const text = {
    'text-color': palette.name,
    'text-halo-color': palette.halo,
    'text-halo-width': 1.2,
  };
  const only = (kind: string) => ['==', ['get', 'kind'], kind] as ['==', ['get', string], string];
  return {
    version: 8,
    sources: {
      // Without a graphics card, lines take half the time of a picture; a pixel of tolerance is invisible.
      basemap: { type: 'geojson', data: url, tolerance: 1, maxzoom: 8 },
      graticule: { type: 'geojson', data: graticule() },
      places: { type: 'geojson', data: placesUrl ?? NOTHING },
      'country-names': { type: 'geojson', data: namesUrl ?? NOTHING, maxzoom: 8 },
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': palette.water } },
      {
        id: 'land',
        type: 'fill',
        source: 'basemap',
        filter: only('land'),
        paint: { 'fill-color': palette.land, 'fill-antialias': false },
      },
      {
        id: 'graticule',
        type: 'line',
        source: 'graticule',
        paint: { 'line-color': palette.graticule, 'line-width': 1 },
      },
      {
        id: 'coast',
        type: 'line',
        source: 'basemap',
        filter: only('coast'),
        paint: { 'line-color': palette.coast, 'line-width': 0.9 },
      },
      {
        id: 'border',
        // At world scale they add little, and take a third of the drawing time.
        minzoom: 2,
        type: 'line',
        source: 'basemap',
        filter: only('border'),
        paint: { 'line-color': palette.border, 'line-width': 0.8 },
      },
      {
        id: 'names',
        type: 'symbol',
        source: 'basemap',
        maxzoom: ALL_NAMES_ZOOM,
        filter: ['all', only('name'), ['>=', ['get', 'area'], LARGE_AREA]],
        layout: {
          visibility: hasNames ? 'visible' : 'none',
          'text-field': ['get', 'name'],
          'text-size': ['interpolate', ['linear'], ['zoom'], 2, 10, 6, 14],
          'text-max-width': 7,
          'symbol-sort-key': ['-', ['get', 'area']],
          'text-padding': 8,
        },
        paint: text,
      },
      {
        id: 'near-names',
        type: 'symbol',
        source: 'country-names',
        minzoom: NAMES_ZOOM,
        filter: ['<=', ['get', 'zoom'], ['zoom']],
        layout: {
          'text-field': ['get', 'name'],
          'text-size': 13,
          'text-letter-spacing': 0.15,
          'text-max-width': 7,
          'text-padding': 30,
        },
        paint: text,
      },
      {
        id: 'small-names',
        type: 'symbol',
        source: 'basemap',
        minzoom: 3.6,
        filter: ['all', only('name'), ['<', ['get', 'area'], LARGE_AREA]],
        layout: { 'text-field': ['get', 'name'], 'text-size': 11, 'text-max-width': 7, 'text-padding': 4 },
        paint: text,
      },
      ...(
        [
          [1, 2.8],
          [2, 4.4],
        ] as const
      ).flatMap(([rank, minzoom]) => cityLayers(rank, minzoom, palette)),
      {
        id: 'airport-codes',
        type: 'symbol',
        source: 'places',
        minzoom: 6,
        filter: only('airport'),
        layout: { 'text-field': ['get', 'name'], 'text-size': 10, 'text-offset': [0, 1.6] },
        paint: text,
      },
    ],
  };
}

/** A dot and the name beside it. */
function cityLayers(rank: number, minzoom: number, palette: Palette): StyleSpecification['layers'] {
  const shared = {
    source: 'places',
    minzoom,
    filter: ['all', ['==', ['get', 'kind'], 'city'], ['==', ['get', 'rank'], rank]] as FilterSpecification,
  };
  return [
    {
      id: `city-dots-${rank}`,
      type: 'circle',
      ...shared,
      paint: {
        'circle-radius': rank === 1 ? 2.4 : 1.8,
        'circle-color': palette.name,
        'circle-stroke-color': palette.halo,
        'circle-stroke-width': 1,
      },
    },
    {
      id: `cities-${rank}`,
      type: 'symbol',
      ...shared,
      layout: {
        'text-field': ['get', 'name'],
        'text-size': rank === 1 ? 12 : 11,
        'text-anchor': 'left',
        'text-offset': [0.5, 0],
        'text-padding': 3,
      },
      paint: { 'text-color': palette.city, 'text-halo-color': palette.halo, 'text-halo-width': 1.2 },
    },
  ];
}

function graticule(): GeoJSON.FeatureCollection {
  const meridians = Array.from({ length: 12 }, (_, k) => [
    [-180 + 30 * k, -85],
    [-180 + 30 * k, 85],
  ]);
  const parallels = Array.from({ length: 5 }, (_, k) =>
    Array.from({ length: 2 }, (_, end) => [-180 + 360 * end, -60 + 30 * k]),
  );
  return {
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        properties: {},
        geometry: { type: 'MultiLineString', coordinates: [...meridians, ...parallels] },
      },
    ],
  };
}
