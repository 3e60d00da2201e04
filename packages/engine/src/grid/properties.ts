import type { RegionFeature } from '@contrails/formats';
import { isoSecond } from '@contrails/runtime';

export interface LevelStatement {
  /** Name of the model or variable: `sac`, `ef_per_m`. */
  readonly name: string;
  readonly flightLevel: number;
  readonly timeMs: number;
  /** The contour value of the polygons. */
  readonly isoValue: number;
  /** Attributes of the product, which come last. */
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Full name of the model. */
  readonly description?: string;
}

/** Properties of one level's polygons under /v0. */
export function levelProperties(statement: LevelStatement): RegionFeature['properties'] {
  const { name, description, flightLevel, timeMs, isoValue } = statement;
  const { buffer_cells: buffer, ...attributes } = statement.attributes;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    level: flightLevel,
    level_long_name: 'Flight Level',
    level_standard_name: 'FL',
    level_units: 'hectofeet',
    time: isoSecond(timeMs),
    polygon_iso_value: isoValue,
    ...attributes,
    ...(buffer === undefined ? {} : { buffer }),
  };
}
