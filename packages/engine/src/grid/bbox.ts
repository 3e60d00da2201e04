import { splitList } from '@contrails/runtime/options/list';
import { readNumber } from '@contrails/runtime/options/number';
import { invalid, type Parameter, type ParameterError } from '@contrails/runtime/options/parameter';
import { Type } from 'typebox';
import type { BoundingBox } from './layout.ts';

const LONGITUDE = { minimum: -180, maximum: 360 };
const LATITUDE = { minimum: -90, maximum: 90 };
const CORNERS = [
  { part: 'min_lon', rule: LONGITUDE },
  { part: 'min_lat', rule: LATITUDE },
  { part: 'max_lon', rule: LONGITUDE },
  { part: 'max_lat', rule: LATITUDE },
] as const;

/** `min_lon,min_lat,max_lon,max_lat`; a box with min_lon > max_lon crosses the antimeridian. */
export function bbox(
  description = 'Bounding box min_lon,min_lat,max_lon,max_lat in degrees; min_lon > max_lon crosses the antimeridian.',
): Parameter<BoundingBox> {
  return {
    schema: Type.Unsafe<number[]>({
      type: 'array',
      prefixItems: CORNERS.map(({ rule }) => ({ type: 'number', ...rule })),
      items: { type: 'number' },
      minItems: 4,
      maxItems: 4,
      description,
      examples: [[-60, 30, 10, 60]],
    }),
    read(name, raw) {
      const texts = splitList(raw);
      if (texts.length !== 4) {
        return invalid(
          `${name} has ${texts.length} values; give 4: min_lon,min_lat,max_lon,max_lat`,
          'length',
        );
      }
      const corners: number[] = [];
      const errors: ParameterError[] = [];
      for (const [index, { part, rule }] of CORNERS.entries()) {
        const read = readNumber(`${name} ${part}`, texts[index] ?? '', rule);
        if ('value' in read) corners.push(read.value);
        else errors.push(...read.errors.map((error) => ({ ...error, index })));
      }
      if (errors.length > 0) return { errors };
      const [west = 0, minLat = 0, east = 0, maxLat = 0] = corners;
      if (minLat > maxLat) {
        return invalid(`${name} min_lat ${minLat} lies north of max_lat ${maxLat}; swap them`, 'range');
      }
      return { value: { ...longitudes(west, east), minLat, maxLat } };
    },
  };
}

/** Brings 0…360 longitudes to −180…180 and keeps the whole circle whole. */
function longitudes(
  west: number,
  east: number,
): Pick<BoundingBox, 'minLon' | 'maxLon' | 'crossesAntimeridian'> {
  if (east - west >= 360) return { minLon: -180, maxLon: 180, crossesAntimeridian: false };
  const minLon = west > 180 ? west - 360 : west;
  const maxLon = east > 180 ? east - 360 : east;
  return { minLon, maxLon, crossesAntimeridian: minLon > maxLon };
}
