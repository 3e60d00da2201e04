/** What the selected route is compared with on the map: the great circle, and the flight as it was. */
import { useEffect } from 'preact/hooks';
import { useSession } from '../shell/session.ts';
import type { Shapes } from '../stage/stage.ts';
import type { Position } from '../track.ts';
import { type FoundRoutes, GREAT_CIRCLE } from './routes.ts';

const LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-join': 'round' },
    paint: { 'line-color': GREAT_CIRCLE, 'line-width': 2, 'line-dasharray': [3, 2] },
  },
];

export function useRouteShapes(routes: FoundRoutes | undefined): void {
  const { stage } = useSession();
  useEffect(() => {
    if (stage === undefined || routes === undefined) return;
    stage.setShapes('great-circle', { data: lineOf(routes.greatCircle), layers: LAYERS });
    return () => stage.setShapes('great-circle', undefined);
  }, [stage, routes]);
}

/** A line without a leap at the antimeridian. */
function lineOf(points: readonly Position[]): GeoJSON.FeatureCollection {
  let before = points[0]?.longitude ?? 0;
  const coordinates = points.map(({ longitude, latitude }) => {
    before = longitude - 360 * Math.round((longitude - before) / 360);
    return [before, latitude];
  });
  return {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates } }],
  };
}
