import {
  cirrusOpticalDepthInto,
  geopotentialHeight,
  isaGeopotentialHeight,
} from '@contrails/physics/atmosphere';
import { MetError } from '../errors.ts';
import { matchKnots } from './assemble.ts';
import { isSameMap } from './axis.ts';
import type { FieldValues, MetField } from './field.ts';

/** The derived variable: optical depth of natural cirrus from the top of the field down to and including a level. */
export const CIRRUS_OPTICAL_DEPTH = 'tau_cirrus';

export const CLOUD_ICE = 'specific_cloud_ice_water_content';

/**
 * Fills `tau_cirrus` of every column of a field from cloud ice, temperature and heights (geopotential height or
 * geopotential where the field has them, else the standard atmosphere). Without cloud ice there is no cirrus.
 */
export function fillCirrus(field: MetField): void {
  opticalDepths(field, {
    target: requireVariable(field, CIRRUS_OPTICAL_DEPTH),
    ice: field.variables.indexOf(CLOUD_ICE),
    heights: field,
    levels: field.level.knots,
  });
}

/**
 * Replaces cloud ice by the optical depth computed from it. `levels` are those of the field and may go one level
 * further down, which the depth of the lowest layer then takes into account. Heights may come from another field on the
 * same meridians and parallels; its levels are found by their value, and it may have more of them.
 */
export function iceToCirrus(
  field: MetField,
  variable: number,
  heights: MetField | undefined,
  levels: Float64Array,
): void {
  opticalDepths(field, { target: variable, ice: variable, heights, levels });
}

interface CirrusColumns {
  readonly target: number;
  /** Negative where there is none. */
  readonly ice: number;
  readonly heights: MetField | undefined;
  readonly levels: Float64Array;
}

function opticalDepths(field: MetField, { target, ice, heights, levels }: CirrusColumns): void {
  const temperature = requireVariable(field, 'air_temperature');
  const height = heights?.variables.indexOf('geopotential_height') ?? -1;
  const geopotential = heights?.variables.indexOf('geopotential') ?? -1;
  const stride = field.variables.length;
  const heightStride = heights?.variables.length ?? 0;
  const own = field.level.knots.length;
  const n = levels.length;
  const heightRows = heightRowsOf(field, heights, levels);
  const heightLevels = heights?.level.knots.length ?? 0;
  const pressurePa = levels.map((level) => 100 * level);
  const standardHeightM = levels.map(isaGeopotentialHeight);
  const column = () => new Float64Array(n);
  const [tau, iceColumn, temperatureColumn, heightColumn] = [column(), column(), column(), column()];

  const columns = field.longitude.knots.length * field.latitude.knots.length;
  field.slabs.forEach((slab, l) => {
    const heightSlab = heights?.slabs[l] ?? slab;
    for (let c = 0; c < columns; c++) {
      const base = c * own * stride;
      for (let k = 0; k < own; k++) {
        const at = base + k * stride;
        iceColumn[k] = ice < 0 ? 0 : (slab[at + ice] as number);
        temperatureColumn[k] = slab[at + temperature] as number;
      }
      for (let k = 0; k < n; k++) {
        const at = (c * heightLevels + (heightRows[k] as number)) * heightStride;
        heightColumn[k] = heightAt(heightSlab, at, height, geopotential, standardHeightM[k] as number);
      }
      cirrusOpticalDepthInto(tau, iceColumn, temperatureColumn, pressurePa, heightColumn);
      for (let k = 0; k < own; k++) slab[base + k * stride + target] = tau[k] as number;
    }
  });
}

/** For each level its index in the field of heights. */
function heightRowsOf(field: MetField, heights: MetField | undefined, levels: Float64Array): Int32Array {
  if (heights === undefined) return new Int32Array(levels.length);
  if (!isSameMap(field, heights)) {
    throw new MetError(
      'unreadable',
      'heights and cloud ice lie on different horizontal grids; bring them to one',
    );
  }
  const rows = matchKnots('level', levels, heights.level.knots);
  const missing = levels.find((_, k) => (rows[k] as number) < 0);
  if (missing === undefined) return rows;
  throw new MetError(
    'unreadable',
    `there are no heights (geopotential) on the level ${missing} hPa of the cloud ice`,
    {
      level: missing,
    },
  );
}

function heightAt(
  slab: FieldValues,
  at: number,
  height: number,
  geopotential: number,
  standard: number,
): number {
  if (height >= 0) return slab[at + height] as number;
  if (geopotential >= 0) return geopotentialHeight(slab[at + geopotential] as number);
  return standard;
}

function requireVariable(field: MetField, name: string): number {
  const index = field.variables.indexOf(name);
  if (index < 0) throw new RangeError(`the field has no ${name}`);
  return index;
}
