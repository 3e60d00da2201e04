/** The open flight on the map: where it flew, where it goes on, and the minute that is pointed at. */
import { useEffect } from 'preact/hooks';
import { useSession } from '../shell/session.ts';
import type { Theme } from '../stage/basemap-style.ts';
import type { Shapes } from '../stage/stage.ts';
import type { Position } from '../track.ts';
import { wayAhead } from './live-flight.ts';
import type { Aircraft } from './sky.ts';

const layersOf = (color: string, edge: string): Shapes['layers'] => [
  {
    type: 'line',
    filter: ['==', ['get', 'kind'], 'flown'],
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-color': color, 'line-width': 1.2, 'line-opacity': 0.7 },
  },
  {
    type: 'line',
    filter: ['==', ['get', 'kind'], 'ahead'],
    paint: { 'line-color': color, 'line-width': 1.8, 'line-dasharray': [2, 2] },
  },
  {
    type: 'line',
    filter: ['==', ['get', 'kind'], 'lasting'],
    paint: { 'line-color': '#ffb03a', 'line-width': 3.2, 'line-dasharray': [1.4, 1] },
  },
  {
    type: 'circle',
    filter: ['==', ['get', 'kind'], 'pointed'],
    paint: {
      'circle-radius': 5,
      'circle-color': color,
      'circle-stroke-color': edge,
      'circle-stroke-width': 2,
    },
  },
];
const LAYERS: Readonly<Record<Theme, Shapes['layers']>> = {
  dark: layersOf('#7cc4ff', '#0b1219'),
  light: layersOf('#0b5fa5', '#ffffff'),
};

export function useFlightMarks(
  aircraft: Aircraft | undefined,
  flown: readonly Position[],
  pointed: Position | undefined,
): void {
  const { stage, theme } = useSession();
  useEffect(() => {
    if (stage === undefined || (aircraft === undefined && flown.length === 0)) return;
    const ahead = aircraft === undefined ? [] : wayAhead(aircraft);
    const first = aircraft?.facts.ahead?.first_persistent_min ?? ahead.length;
    const features = [
      ...linesOf('flown', aircraft === undefined ? flown : [...flown, aircraft]),
      ...linesOf('ahead', ahead),
      ...linesOf('lasting', ahead.slice(first)),
      ...(pointed === undefined ? [] : [pointOf(pointed)]),
    ];
    stage.setShapes('live-flight', { data: { type: 'FeatureCollection', features }, layers: LAYERS[theme] });
  }, [stage, theme, aircraft, flown, pointed]);
  const isOpen = aircraft !== undefined || flown.length > 0;
  useEffect(() => {
    if (!isOpen) stage?.setShapes('live-flight', undefined);
  }, [stage, isOpen]);
  useEffect(() => () => stage?.setShapes('live-flight', undefined), [stage]);
}

/** Cut where it crosses the antimeridian. */
function linesOf(kind: string, points: readonly Position[]): GeoJSON.Feature[] {
  const lines: number[][][] = [[]];
  points.forEach(({ longitude, latitude }, k) => {
    if (Math.abs(longitude - (points[k - 1]?.longitude ?? longitude)) > 180) lines.push([]);
    lines.at(-1)?.push([longitude, latitude]);
  });
  return lines
    .filter((line) => line.length > 1)
    .map((coordinates) => ({
      type: 'Feature',
      properties: { kind },
      geometry: { type: 'LineString', coordinates },
    }));
}

function pointOf({ longitude, latitude }: Position): GeoJSON.Feature {
  return {
    type: 'Feature',
    properties: { kind: 'pointed' },
    geometry: { type: 'Point', coordinates: [longitude, latitude] },
  };
}
