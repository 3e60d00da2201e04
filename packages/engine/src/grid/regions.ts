import { geojsonFeature, nestedPolygonsOf, simplificationOf } from '@contrails/formats';
import { FORECAST_THRESHOLDS } from '@contrails/physics/cocip';
import { isoSecond } from '@contrails/runtime';

/** Strongly simplified, because flight plans want few corners; holes are filled, because no plan goes through them. */
const SHAPE = simplificationOf(10);

/** Properties of the regions of one level. */
export interface RegionStatement {
  readonly aircraftClass: string;
  /** [ms since 1970] */
  readonly timeMs: number;
  readonly referenceTimeMs: number;
  /** Cells that the masks were widened by. */
  readonly bufferCells?: number;
}

/** The regions of one level where the index reaches each threshold, as GeoJSON features; each contains the next. Heavy for large planes. */
export function regionFeatures(
  index: Float32Array,
  longitude: ArrayLike<number>,
  latitude: ArrayLike<number>,
  flightLevel: number,
  { aircraftClass, timeMs, referenceTimeMs, bufferCells = 0 }: RegionStatement,
): Uint8Array[] {
  const regions = nestedPolygonsOf(index, longitude, latitude, FORECAST_THRESHOLDS, SHAPE);
  return regions.map((polygons, k) => {
    const threshold = FORECAST_THRESHOLDS[k] as number;
    const properties = {
      aircraft_class: aircraftClass,
      time: isoSecond(timeMs),
      flight_level: flightLevel,
      threshold,
      forecast_reference_time: isoSecond(referenceTimeMs),
      ...(bufferCells > 0 ? { buffer: bufferCells } : {}),
    };
    return Buffer.concat(geojsonFeature({ flightLevel, polygons, properties }));
  });
}
