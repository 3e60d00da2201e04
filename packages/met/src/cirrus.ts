import {
  cirrusOpticalDepthInto,
  geopotentialHeight,
  isaGeopotentialHeight,
} from '@contrails/physics/atmosphere';
import type { FieldValues, MetField } from './field.ts';

/** The derived variable: optical depth of natural cirrus from the top of the field down to and including a level. */
export const CIRRUS_OPTICAL_DEPTH = 'tau_cirrus';

export const CLOUD_ICE = 'specific_cloud_ice_water_content';

/**
 * Fills `tau_cirrus` of every column of a field from cloud ice, temperature and heights (geopotential height or
 * geopotential where they are stored, else the standard atmosphere). Without cloud ice there is no cirrus. What is
 * stored may be another field on the same grid, which may go on further down.
 */
export function fillCirrus(field: MetField, stored: MetField = field): void {
  const target = requireVariable(field, CIRRUS_OPTICAL_DEPTH);
  const temperature = requireVariable(stored, 'air_temperature');
  const ice = stored.variables.indexOf(CLOUD_ICE);
  const height = stored.variables.indexOf('geopotential_height');
  const geopotential = stored.variables.indexOf('geopotential');
  const levels = stored.level.knots;
  const n = levels.length;
  const stride = stored.variables.length;
  const targetLevels = field.level.knots.length;
  const targetStride = field.variables.length;
  const pressurePa = levels.map((level) => 100 * level);
  const standardHeightM = levels.map(isaGeopotentialHeight);
  const column = () => new Float64Array(n);
  const [tau, iceColumn, temperatureColumn, heightColumn] = [column(), column(), column(), column()];

  const columns = field.longitude.knots.length * field.latitude.knots.length;
  stored.slabs.forEach((slab, l) => {
    const out = field.slabs[l] as FieldValues;
    for (let c = 0; c < columns; c++) {
      const base = c * n * stride;
      for (let k = 0; k < n; k++) {
        const at = base + k * stride;
        iceColumn[k] = ice < 0 ? 0 : (slab[at + ice] as number);
        temperatureColumn[k] = slab[at + temperature] as number;
        heightColumn[k] = heightAt(slab, at, height, geopotential, standardHeightM[k] as number);
      }
      cirrusOpticalDepthInto(tau, iceColumn, temperatureColumn, pressurePa, heightColumn);
      const to = c * targetLevels * targetStride + target;
      for (let k = 0; k < targetLevels; k++) out[to + k * targetStride] = tau[k] as number;
    }
  });
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
