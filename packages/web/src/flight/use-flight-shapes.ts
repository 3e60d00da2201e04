/** The flight on the map: its track, its contrail, its airports, and the minute that is pointed at. */
import { useEffect } from 'preact/hooks';
import { useSession } from '../shell/session.ts';
import type { Shapes } from '../stage/stage.ts';
import { boundsOf } from '../track.ts';
import { type Airport, loadAirports, nearestAirport } from './airports.ts';
import { contrailShapes, type FlightResult, trackShapes } from './result.ts';

const TRACK_LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-color': ['get', 'color'], 'line-width': ['get', 'width'] },
  },
];
const CONTRAIL_LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-cap': 'round' },
    paint: {
      'line-color': ['get', 'color'],
      'line-width': 4,
      'line-opacity': ['get', 'opacity'],
      'line-blur': 1.5,
    },
  },
];
const POINTED_LAYERS: Shapes['layers'] = [
  {
    type: 'circle',
    paint: {
      'circle-radius': 6,
      'circle-color': '#ffffff',
      'circle-stroke-color': '#0b1219',
      'circle-stroke-width': 2,
    },
  },
];
const airportLayers = (isDark: boolean): Shapes['layers'] => [
  {
    type: 'circle',
    paint: {
      'circle-radius': 4,
      'circle-color': isDark ? '#e6edf4' : '#14202b',
      'circle-stroke-color': isDark ? '#0b1219' : '#ffffff',
      'circle-stroke-width': 1.5,
    },
  },
  {
    type: 'symbol',
    layout: {
      'text-field': ['get', 'name'],
      'text-size': 12,
      'text-anchor': 'top',
      'text-offset': [0, 0.5],
      'text-allow-overlap': true,
    },
    paint: {
      'text-color': isDark ? '#e6edf4' : '#14202b',
      'text-halo-color': isDark ? '#0b1219' : '#ffffff',
      'text-halo-width': 1.4,
    },
  },
];
const [DARK_AIRPORTS, LIGHT_AIRPORTS] = [airportLayers(true), airportLayers(false)];

/** Draws a result, and reports the minute of the track under the pointer. */
export function useFlightShapes(
  result: FlightResult | undefined,
  pointed: number | undefined,
  onPoint: (index: number | undefined) => void,
): void {
  const { stage, theme } = useSession();

  useEffect(() => {
    if (stage === undefined || result === undefined) return;
    stage.setShapes('contrail', { data: contrailShapes(result.answer), layers: CONTRAIL_LAYERS });
    stage.setShapes('flight', { data: trackShapes(result.points), layers: TRACK_LAYERS });
    const isWide = matchMedia('(min-width: 48rem)').matches;
    const padding = isWide
      ? { left: 420, right: 60, top: 70, bottom: 390 }
      : { left: 20, right: 20, top: 70, bottom: Math.round(innerHeight * 0.62) };
    stage.fit(boundsOf(result.points), padding);
    const stopPointer = stage.onPointer((position) => {
      const index = position && stage.featureAt('flight', position)?.index;
      stage.setCursor(index === undefined ? undefined : 'crosshair');
      if (typeof index === 'number') onPoint(index);
    });
    return () => {
      stopPointer();
      stage.setCursor(undefined);
      stage.setShapes('flight', undefined);
      stage.setShapes('contrail', undefined);
    };
  }, [stage, result, onPoint]);

  useEffect(() => {
    if (stage === undefined || result === undefined) return;
    let isCurrent = true;
    loadAirports().then(
      (airports) => {
        if (!isCurrent) return;
        const found = [result.points[0], result.points.at(-1)].flatMap((point) =>
          point === undefined ? [] : (nearestAirport(airports, point) ?? []),
        );
        stage.setShapes('airports', {
          data: { type: 'FeatureCollection', features: found.map(airportFeature) },
          layers: theme === 'dark' ? DARK_AIRPORTS : LIGHT_AIRPORTS,
        });
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
      stage.setShapes('airports', undefined);
    };
  }, [stage, result, theme]);

  const point = pointed === undefined ? undefined : result?.points[pointed];
  useEffect(() => {
    if (stage === undefined) return;
    stage.setShapes(
      'pointed',
      point && {
        data: {
          type: 'FeatureCollection',
          features: [
            {
              type: 'Feature',
              properties: {},
              geometry: { type: 'Point', coordinates: [point.longitude, point.latitude] },
            },
          ],
        },
        layers: POINTED_LAYERS,
      },
    );
  }, [stage, point]);
  useEffect(() => () => stage?.setShapes('pointed', undefined), [stage]);
}

function airportFeature({ icao, iata, town, longitude, latitude }: Airport): GeoJSON.Feature {
  return {
    type: 'Feature',
    properties: { name: `${town || icao} (${iata || icao})` },
    geometry: { type: 'Point', coordinates: [longitude, latitude] },
  };
}
