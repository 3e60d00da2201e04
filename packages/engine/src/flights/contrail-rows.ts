/** The contrail of one flight as rows of a table: one for each point and step of the model, with all that it knows of it. */
import type { PlumeColumn, PlumeTable } from '@contrails/physics/cocip';
import { InputError } from '@contrails/physics/common';
import { MINUTE_MS } from '@contrails/runtime';

interface RowColumn {
  readonly unit: string;
  readonly plume: PlumeColumn;
}

const of = (plume: PlumeColumn, unit: string): RowColumn => ({ plume, unit });

/** Columns under the names of the field's reference, in the order of the table. */
const CONTRAIL_ROW_COLUMNS = {
  longitude: of('longitude', 'degrees_east'),
  latitude: of('latitude', 'degrees_north'),
  altitude: of('altitude', 'm'),
  level: of('level', 'hPa'),
  segment_length: of('length', 'm'),
  sin_a: of('sinA', '1'),
  cos_a: of('cosA', '1'),
  width: of('width', 'm'),
  depth: of('depth', 'm'),
  sigma_yz: of('sigmaYz', 'm2'),
  air_temperature: of('temperature', 'K'),
  air_pressure: of('pressure', 'Pa'),
  specific_humidity: of('humidity', 'kg kg-1'),
  q_sat: of('saturation', 'kg kg-1'),
  rhi: of('rhi', '1'),
  rho_air: of('density', 'kg m-3'),
  iwc: of('iceWaterContent', 'kg kg-1'),
  n_ice_per_m: of('particles', 'm-1'),
  n_ice_per_vol: of('particlesPerM3', 'm-3'),
  r_ice_vol: of('radius', 'm'),
  terminal_fall_speed: of('fallSpeed', 'm s-1'),
  u_wind: of('u', 'm s-1'),
  v_wind: of('v', 'm s-1'),
  vertical_velocity: of('omega', 'Pa s-1'),
  tau_cirrus: of('cirrusOpticalDepth', '1'),
  air_temperature_lower: of('temperatureBelow', 'K'),
  u_wind_lower: of('uBelow', 'm s-1'),
  v_wind_lower: of('vBelow', 'm s-1'),
  dT_dz: of('thetaGradient', 'K m-1'),
  ds_dz: of('shear', 's-1'),
  dsn_dz: of('normalShear', 's-1'),
  area_eff: of('area', 'm2'),
  plume_mass_per_m: of('massPerM', 'kg m-1'),
  diffuse_h: of('diffusivityH', 'm2 s-1'),
  diffuse_v: of('diffusivityV', 'm2 s-1'),
  dn_dt_agg: of('aggregation', 's-1'),
  dn_dt_turb: of('turbulence', 's-1'),
  tau_contrail: of('opticalDepth', '1'),
  sdr: of('sdr', 'W m-2'),
  rsr: of('rsr', 'W m-2'),
  olr: of('olr', 'W m-2'),
  rf_lw: of('rfLw', 'W m-2'),
  rf_sw: of('rfSw', 'W m-2'),
  rf_net: of('rfNet', 'W m-2'),
  energy_forcing: of('energyForcing', 'J'),
} as const satisfies Record<string, RowColumn>;

export type ContrailRowColumn = keyof typeof CONTRAIL_ROW_COLUMNS;

const ENTRIES = Object.entries(CONTRAIL_ROW_COLUMNS) as [ContrailRowColumn, RowColumn][];
/** Which point of which time: place of its waypoint in the answer, end of the step and formation [ms since 1970], age [min]. */
const KEYS = 4;
const COLUMNS = KEYS + ENTRIES.length;

export const CONTRAIL_ROW_PLUME_COLUMNS: readonly PlumeColumn[] = [
  ...ENTRIES.map(([, { plume }]) => plume),
  'formationTimeMs',
];

/** The gradient of stratification that the model uses is never smaller [K m⁻¹]. */
const MIN_GRADIENT = 1e-6;
/** Rows of one request; each takes 400 bytes. */
const MAX_CONTRAIL_ROWS = 1_000_000;

/** Rows one column after the other. */
export interface FinishedRows {
  readonly count: number;
  readonly values: Float64Array<ArrayBuffer>;
}

export class ContrailRows {
  readonly #placeOf: (waypoint: number) => number;
  /** How many rows all threads have collected. */
  readonly #total: Int32Array;
  readonly #steps: { readonly count: number; readonly values: Float64Array }[] = [];

  constructor(placeOf: (waypoint: number) => number, total: Int32Array) {
    this.#placeOf = placeOf;
    this.#total = total;
  }

  /** Takes the rows of the flight, `from` to `to` (not included), after a step. */
  add(plumes: PlumeTable, from: number, to: number, toMs: number): void {
    const count = to - from;
    if (Atomics.add(this.#total, 0, count) + count > MAX_CONTRAIL_ROWS) {
      throw new InputError(
        `the contrails have more than ${MAX_CONTRAIL_ROWS} rows; send fewer flights at once, or give a longer dt_integration_minutes or a shorter max_age_hours`,
        { field: 'flight_id' },
      );
    }
    const values = new Float64Array(COLUMNS * count);
    for (let i = 0; i < count; i++) {
      const formedMs = plumes.formationTimeMs[from + i] as number;
      values[i] = this.#placeOf(plumes.waypoint[from + i] as number);
      values[count + i] = toMs;
      values[2 * count + i] = formedMs;
      values[3 * count + i] = (toMs - formedMs) / MINUTE_MS;
    }
    ENTRIES.forEach(([name, { plume }], k) => {
      const column = values.subarray((KEYS + k) * count, (KEYS + k + 1) * count);
      column.set(plumes[plume].subarray(from, to));
      if (name !== 'dT_dz') return;
      for (let i = 0; i < count; i++) column[i] = Math.max(column[i] as number, MIN_GRADIENT);
    });
    this.#steps.push({ count, values });
  }

  finish(): FinishedRows {
    const total = this.#steps.reduce((sum, { count }) => sum + count, 0);
    const values = new Float64Array(COLUMNS * total);
    let start = 0;
    for (const step of this.#steps) {
      for (let k = 0; k < COLUMNS; k++)
        values.set(step.values.subarray(k * step.count, (k + 1) * step.count), k * total + start);
      start += step.count;
    }
    return { count: total, values };
  }
}

/** The columns of finished rows. */
export function columnsOfRows({ count, values }: FinishedRows) {
  const column = (k: number) => values.subarray(k * count, (k + 1) * count);
  return {
    waypoint: column(0),
    timeMs: column(1),
    formationTimeMs: column(2),
    age: column(3),
    quantities: ENTRIES.map(([name, { unit }], k) => ({ name, unit, values: column(KEYS + k) })),
  };
}
