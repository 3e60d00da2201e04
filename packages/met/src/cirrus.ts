import {
  cirrusOpticalDepthInto,
  geopotentialHeight,
  isaGeopotentialHeight,
} from '@contrails/physics/atmosphere';
import type { FieldValues, MetField } from './field.ts';

/** The derived variable: optical depth of natural cirrus from the top of the field down to and including a level. */
export const CIRRUS_OPTICAL_DEPTH = 'tau_cirrus';

const CLOUD_ICE = 'specific_cloud_ice_water_content';

/**
 * Fills `tau_cirrus` of every column of a field from cloud ice, temperature and heights (geopotential height or
 * geopotential where the field has them, else the standard atmosphere). Without cloud ice there is no cirrus.
 */
export function fillCirrus(field: MetField): void {
  const target = requireVariable(field, CIRRUS_OPTICAL_DEPTH);
  const temperature = requireVariable(field, 'air_temperature');
  const ice = field.variables.indexOf(CLOUD_ICE);
  const height = field.variables.indexOf('geopotential_height');
  const geopotential = field.variables.indexOf('geopotential');
  const levels = field.level.knots;
  const n = levels.length;
  const stride = field.variables.length;
  const pressurePa = levels.map((level) => 100 * level);
  const standardHeightM = levels.map(isaGeopotentialHeight);
  const column = () => new Float64Array(n);
  const [tau, iceColumn, temperatureColumn, heightColumn] = [column(), column(), column(), column()];

  const columns = field.longitude.knots.length * field.latitude.knots.length;
  for (const slab of field.slabs) {
    for (let c = 0; c < columns; c++) {
      const base = c * n * stride;
      for (let k = 0; k < n; k++) {
        const at = base + k * stride;
        iceColumn[k] = ice < 0 ? 0 : (slab[at + ice] as number);
        temperatureColumn[k] = slab[at + temperature] as number;
        heightColumn[k] = heightAt(slab, at, height, geopotential, standardHeightM[k] as number);
      }
      cirrusOpticalDepthInto(tau, iceColumn, temperatureColumn, pressurePa, heightColumn);
      for (let k = 0; k < n; k++) slab[base + k * stride + target] = tau[k] as number;
    }
  }
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
