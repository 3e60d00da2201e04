/**
 * What attributes of netCDF and Zarr variables mean: the Climate and Forecast conventions, and the habits of the
 * public archives where those leave a choice.
 */

import { MetError } from '../errors.ts';
import type { Packing } from '../field/assemble.ts';
import type { VariableDefinition } from '../variables.ts';

export type AttributeValue = string | number | readonly number[] | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

export type StoredType =
  | 'int8'
  | 'uint8'
  | 'int16'
  | 'uint16'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'uint64'
  | 'float32'
  | 'float64';

/** What a dimension counts. */
export type Role = 'longitude' | 'latitude' | 'level' | 'model-level' | 'time' | 'member' | 'expver';

const ROLE_OF_NAME: Readonly<Record<string, Role>> = {
  longitude: 'longitude',
  lon: 'longitude',
  latitude: 'latitude',
  lat: 'latitude',
  level: 'level',
  lev: 'level',
  plev: 'level',
  pressure: 'level',
  pressure_level: 'level',
  isobaric: 'level',
  isobaricInhPa: 'level',
  isobaricInPa: 'level',
  hybrid: 'model-level',
  model_level: 'model-level',
  model_level_number: 'model-level',
  time: 'time',
  valid_time: 'time',
  number: 'member',
  member: 'member',
  realization: 'member',
  expver: 'expver',
};

const ROLE_OF_STANDARD_NAME: Readonly<Record<string, Role>> = {
  longitude: 'longitude',
  latitude: 'latitude',
  air_pressure: 'level',
  atmosphere_hybrid_sigma_pressure_coordinate: 'model-level',
  model_level_number: 'model-level',
  time: 'time',
  realization: 'member',
};

/** What a coordinate variable describes, from its standard name, else its name; undefined for anything else. */
export function roleOf(name: string, attributes: Attributes): Role | undefined {
  const standardName = String(attributes.standard_name ?? '');
  // A forecast keeps its start under a name that elsewhere means the valid time.
  if (standardName === 'forecast_reference_time') return undefined;
  const role = ROLE_OF_STANDARD_NAME[standardName] ?? ROLE_OF_NAME[name];
  const numbered = /model.level/i.test(String(attributes.long_name ?? ''));
  return role === 'level' && numbered ? 'model-level' : role;
}

const HPA_PER_UNIT: Readonly<Record<string, number>> = {
  hpa: 1,
  millibar: 1,
  millibars: 1,
  mbar: 1,
  mb: 1,
  hectopascal: 1,
  pa: 0.01,
  pascal: 0.01,
};

/** Stored level coordinates → hPa. */
export function decodeLevels(stored: ArrayLike<number>, name: string, attributes: Attributes): Float64Array {
  const unit = attributes.units === undefined ? unitOfName(name) : String(attributes.units);
  const factor = HPA_PER_UNIT[unit.toLowerCase()];
  if (factor === undefined) {
    throw new MetError(
      'unreadable',
      `the levels (${name}) have the unit ${JSON.stringify(unit)}; only hPa, millibars and Pa are understood`,
      { variable: name, unit },
    );
  }
  // Division gives 250 for 25 000 Pa where a product with 0.01 may not.
  return Float64Array.from(stored, (value) => (factor === 1 ? value : value / 100));
}

/** Refuses coordinates in another unit than degrees; without one they are degrees. */
export function requireDegrees(name: string, { units }: Attributes): void {
  const unit = String(units ?? '').trim();
  if (unit === '' || /^(deg|°)/i.test(unit)) return;
  throw new MetError(
    'unreadable',
    `the coordinates (${name}) have the unit ${JSON.stringify(unit)}; only degrees are understood`,
    { variable: name, unit },
  );
}

function unitOfName(name: string): string {
  return name === 'isobaricInPa' || name === 'plev' ? 'Pa' : 'hPa';
}

/**
 * How the stored numbers of a variable become values in the unit of the models. Without `_FillValue`, what was never
 * written holds the default fill value of the format.
 */
export function packingOf(
  name: string,
  type: StoredType,
  attributes: Attributes,
  definition: VariableDefinition,
): Packing {
  const factor = unitFactor(name, attributes, definition);
  if (String(attributes._Unsigned) === 'true' && type.startsWith('int')) {
    throw new MetError('unreadable', `variable ${name} keeps unsigned numbers as signed ones; repack it`, {
      variable: name,
    });
  }
  const stored = type === 'float32' ? Math.fround : (value: number) => value;
  const fill = numbersOf(attributes._FillValue);
  const missing = [...(fill.length > 0 ? fill : defaultFill(type)), ...numbersOf(attributes.missing_value)]
    .map(stored)
    .filter((value) => !Number.isNaN(value));
  const packing = {
    scale: packingNumber(name, 'scale_factor', attributes, 1) * factor,
    offset: packingNumber(name, 'add_offset', attributes, 0) * factor,
    missing: [...new Set(missing)],
  };
  if (packing.scale === 0) throw wrongPacking(name, 'scale_factor', attributes);
  if (packing.missing.length > 2) throw wrongPacking(name, 'missing_value', attributes);
  const [low, high] = boundsOf(attributes.valid_range);
  const from = low ?? boundsOf(attributes.valid_min)[0];
  const to = high ?? boundsOf(attributes.valid_max)[0];
  if (from === undefined && to === undefined) return packing;
  return {
    ...packing,
    valid: [stored(from ?? Number.NEGATIVE_INFINITY), stored(to ?? Number.POSITIVE_INFINITY)],
  };
}

/**
 * The unit of a variable as its file writes it, checked; a number without a unit means nothing. Radiation is the
 * exception: it is never converted here, because its unit depends on the producer (`radiationConvention`).
 */
function unitFactor(name: string, attributes: Attributes, definition: VariableDefinition): number {
  const unit = attributes.units === undefined ? undefined : String(attributes.units).trim();
  if (unit === undefined && definition.units['W m-2'] !== undefined) return 1;
  const factor = unit === undefined ? undefined : definition.units[unit];
  if (factor !== undefined) return factor;
  const found = unit === undefined ? 'no unit' : `the unit ${JSON.stringify(unit)}`;
  throw new MetError(
    'unreadable',
    `variable ${name} (${definition.name}) has ${found}; ` +
      `understood are ${Object.keys(definition.units).join(', ')}`,
    { variable: name, unit: unit ?? null, understood: Object.keys(definition.units) },
  );
}

/** A number that every value is multiplied with, or that is added to it. Readers differ in what they make of a text. */
function packingNumber(
  name: string,
  attribute: 'scale_factor' | 'add_offset',
  attributes: Attributes,
  absent: number,
): number {
  const value = attributes[attribute];
  if (value === undefined) return absent;
  const [number, ...others] = [value].flat();
  if (typeof number === 'number' && Number.isFinite(number) && others.length === 0) return number;
  throw wrongPacking(name, attribute, attributes);
}

const PACKING_REMEDY = {
  scale_factor: 'write a finite number other than 0',
  add_offset: 'write a finite number',
  missing_value: 'keep one mark of missing values besides _FillValue',
} as const;

function wrongPacking(
  name: string,
  attribute: keyof typeof PACKING_REMEDY,
  attributes: Attributes,
): MetError {
  const value = attributes[attribute];
  const shown = typeof value === 'string' ? JSON.stringify(value) : [value].flat().join(', ');
  return new MetError(
    'unreadable',
    `variable ${name} has the ${attribute} ${shown}; ${PACKING_REMEDY[attribute]}`,
    { variable: name, [attribute]: shown },
  );
}

/** Bounds that are not numbers bound nothing. */
function boundsOf(value: AttributeValue | undefined): (number | undefined)[] {
  return numbersOf(value).map((bound) => (Number.isNaN(bound) ? undefined : bound));
}

function numbersOf(value: AttributeValue | undefined): number[] {
  if (value === undefined) return [];
  return [value].flat().map((one) => (String(one).trim() === '' ? Number.NaN : Number(one)));
}

/** What the netCDF library writes where nothing was written; bytes have no such value. */
function defaultFill(type: StoredType): number[] {
  switch (type) {
    case 'int16':
      return [-32_767];
    case 'uint16':
      return [65_535];
    case 'int32':
      return [-2_147_483_647];
    case 'uint32':
      return [4_294_967_295];
    case 'float32':
    case 'float64':
      return [9.969209968386869e36];
    default:
      return [];
  }
}
