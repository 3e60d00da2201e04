/** The side of the Earth where the sun is below the horizon. */
import {
  hoursOfDay,
  orbitalPosition,
  solarDeclinationDeg,
  solarHourAngleDeg,
} from '@contrails/physics/atmosphere';

const STEP_DEG = 2;
const RADIANS = Math.PI / 180;

/** A ring around the dark half, between 180° west and 180° east. */
export function nightShape(timeMs: number): GeoJSON.FeatureCollection {
  const theta = orbitalPosition(timeMs);
  const declination = solarDeclinationDeg(theta);
  // On an equinox day and night share every meridian evenly, which no curve over longitudes describes.
  const tangent = Math.tan((Math.abs(declination) < 0.1 ? 0.1 : declination) * RADIANS);
  const hours = hoursOfDay(timeMs);
  const edge: [number, number][] = [];
  for (let longitude = -180; longitude <= 180; longitude += STEP_DEG) {
    const hourAngle = solarHourAngleDeg(longitude, hours, theta) * RADIANS;
    edge.push([longitude, Math.atan(-Math.cos(hourAngle) / tangent) / RADIANS]);
  }
  const darkPole = tangent > 0 ? -90 : 90;
  const ring = [[-180, darkPole], ...edge, [180, darkPole], [-180, darkPole]];
  return {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } }],
  };
}
