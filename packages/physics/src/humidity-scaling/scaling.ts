import { InputError } from '../errors.ts';
import type { Column } from '../numerics/columns.ts';

/** How responses describe a scaling. */
export interface ScalingDescription {
  /** Class name of the scaling in the field's reference. */
  readonly className: string;
  readonly name: string;
  readonly formula: string;
  /** Parameters that belong to the description, under their public names. */
  readonly parameters: Readonly<Record<string, number>>;
}

/** A correction of specific humidity that runs once, right after humidity has been interpolated from weather data. */
export interface HumidityScaling extends ScalingDescription {
  /**
   * Writes scaled specific humidity and relative humidity over ice; may write over its inputs. Temperature in K,
   * pressure in Pa, latitude in degrees (only read by the scaling with latitude correction).
   */
  scaleInto(
    outHumidity: Column,
    outRhi: Column,
    specificHumidity: Column,
    temperatureK: Column,
    pressurePa: Column,
    latitudeDeg: Column,
  ): void;
}

/** Vertical coordinate of the weather data humidity came from. */
export type LevelType = 'pressure' | 'model';

/** Throws unless a parameter is a finite number above zero. */
export function requirePositive(name: string, value: number): number {
  if (!(value > 0 && Number.isFinite(value))) {
    throw new InputError(`${name} is ${value}; give a number above 0`, { [name]: value });
  }
  return value;
}
