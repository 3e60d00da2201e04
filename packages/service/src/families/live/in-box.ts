import { type BoundingBox, contains } from '@contrails/engine/grid/layout';
import type { ContrailFeature } from '@contrails/engine/live/contrail-runs';
import type { FlightFeature } from '@contrails/engine/live/flight-features';

/** Whether a point of the feature lies in the box; without a box everything does. */
export function isInBox(feature: FlightFeature | ContrailFeature, box: BoundingBox | undefined): boolean {
  if (box === undefined) return true;
  const { geometry } = feature;
  if (geometry.type === 'Point') return contains(box, ...geometry.coordinates);
  return geometry.coordinates.some(([longitude, latitude]) => contains(box, longitude, latitude));
}
