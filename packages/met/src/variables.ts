/**
 * The weather variables the models use, under the names the service uses everywhere, and the names and units under
 * which the public data sets carry them.
 */

export interface VariableDefinition {
  readonly name: string;
  /** Unit after reading, as reported to users. */
  readonly unit: string;
  /** False for fields without a level axis. */
  readonly onLevels: boolean;
  /** Other names: ERA5 and GRIB short names, CF standard names, long names of the public archives. */
  readonly aliases: readonly string[];
  /** Units as they appear in files → factor that converts values to `unit`. */
  readonly units: Readonly<Record<string, number>>;
  /** What a plausible value is; weather outside is refused. */
  readonly plausible: readonly [low: number, high: number];
  /** Some values at least are above 0. */
  readonly isPositive?: true;
  /** What the models do without it, for `contrails met list`. */
  readonly withoutIt: string;
}

const PER_KG = {
  'kg kg**-1': 1,
  'kg kg-1': 1,
  'kg/kg': 1,
  '1': 1,
  'kg kg^-1': 1,
  'g kg-1': 1e-3,
  'g/kg': 1e-3,
};
const SPEED = { 'm s**-1': 1, 'm s-1': 1, 'm/s': 1, 'm s^-1': 1 };
const RADIATION = {
  'W m**-2': 1,
  'W m-2': 1,
  'W/m2': 1,
  'W m^-2': 1,
  'J m**-2': 1,
  'J m-2': 1,
  'J/m2': 1,
  'J m^-2': 1,
};
const FLUX = { 'W m**-2': 1, 'W m-2': 1, 'W/m2': 1, 'W m^-2': 1 };

export const VARIABLES: readonly VariableDefinition[] = [
  {
    name: 'air_temperature',
    unit: 'K',
    onLevels: true,
    aliases: ['t', 'temperature', 'ta', 'TMP'],
    units: { K: 1, kelvin: 1 },
    plausible: [150, 340],
    withoutIt: 'no model runs',
  },
  {
    name: 'specific_humidity',
    unit: 'kg/kg',
    onLevels: true,
    aliases: ['q', 'hus', 'SPFH'],
    units: PER_KG,
    plausible: [-1e-4, 0.05],
    isPositive: true,
    withoutIt: 'no model runs',
  },
  {
    name: 'eastward_wind',
    unit: 'm/s',
    onLevels: true,
    aliases: ['u', 'u_component_of_wind', 'ua', 'UGRD'],
    units: SPEED,
    plausible: [-200, 200],
    withoutIt: 'airspeed equals ground speed, and cocip does not run',
  },
  {
    name: 'northward_wind',
    unit: 'm/s',
    onLevels: true,
    aliases: ['v', 'v_component_of_wind', 'va', 'VGRD'],
    units: SPEED,
    plausible: [-200, 200],
    withoutIt: 'airspeed equals ground speed, and cocip does not run',
  },
  {
    name: 'lagrangian_tendency_of_air_pressure',
    unit: 'Pa/s',
    onLevels: true,
    aliases: ['w', 'vertical_velocity', 'omega', 'wap', 'VVEL'],
    units: { 'Pa s**-1': 1, 'Pa s-1': 1, 'Pa/s': 1, 'Pa s^-1': 1 },
    plausible: [-50, 50],
    withoutIt: 'cocip does not run',
  },
  {
    name: 'specific_cloud_ice_water_content',
    unit: 'kg/kg',
    onLevels: true,
    aliases: ['ciwc', 'mass_fraction_of_cloud_ice_in_air', 'ice_water_mixing_ratio', 'icmr', 'ICMR'],
    units: PER_KG,
    plausible: [-1e-6, 0.01],
    withoutIt: 'natural cirrus is taken as absent, so contrail forcing is overestimated below it',
  },
  {
    name: 'geopotential',
    unit: 'm2/s2',
    onLevels: true,
    aliases: ['z'],
    units: { 'm**2 s**-2': 1, 'm2 s-2': 1, 'm2/s2': 1, 'm^2 s^-2': 1 },
    plausible: [-20_000, 800_000],
    isPositive: true,
    withoutIt: 'heights come from the standard atmosphere',
  },
  {
    name: 'geopotential_height',
    unit: 'm',
    onLevels: true,
    aliases: ['gh', 'HGT', 'zg'],
    units: { m: 1, gpm: 1 },
    plausible: [-2000, 80_000],
    isPositive: true,
    withoutIt: 'heights come from the standard atmosphere',
  },
  {
    name: 'potential_vorticity',
    unit: 'K m2 kg-1 s-1',
    onLevels: true,
    aliases: ['pv', 'ertel_potential_vorticity'],
    units: { 'K m**2 kg**-1 s**-1': 1, 'K m2 kg-1 s-1': 1, 'K m^2 kg^-1 s^-1': 1 },
    plausible: [-0.1, 0.1],
    withoutIt: 'it is computed from temperature and wind',
  },
  {
    name: 'surface_pressure',
    unit: 'Pa',
    onLevels: false,
    aliases: ['sp', 'surface_air_pressure', 'ps'],
    units: { Pa: 1, hPa: 100 },
    plausible: [40_000, 110_000],
    withoutIt: 'model levels cannot be brought to pressure',
  },
  {
    name: 'top_net_solar_radiation',
    unit: 'W/m2',
    onLevels: false,
    aliases: ['tsr'],
    units: RADIATION,
    plausible: [-10, 1500],
    withoutIt: 'cocip does not run',
  },
  {
    name: 'top_net_thermal_radiation',
    unit: 'W/m2',
    onLevels: false,
    aliases: ['ttr'],
    units: RADIATION,
    plausible: [-500, 0],
    withoutIt: 'cocip does not run',
  },
  {
    name: 'surface_net_solar_radiation',
    unit: 'W/m2',
    onLevels: false,
    aliases: ['ssr'],
    units: RADIATION,
    plausible: [-10, 1300],
    withoutIt: 'reflected shortwave radiation cannot be estimated',
  },
  {
    name: 'total_column_water_vapour',
    unit: 'kg/m2',
    onLevels: false,
    aliases: ['tcwv', 'atmosphere_mass_content_of_water_vapor'],
    units: { 'kg m**-2': 1, 'kg m-2': 1, 'kg/m2': 1, 'kg m^-2': 1 },
    plausible: [-1, 120],
    withoutIt: 'reflected shortwave radiation cannot be estimated',
  },
  {
    name: 'toa_net_downward_shortwave_flux',
    unit: 'W/m2',
    onLevels: false,
    aliases: [],
    units: FLUX,
    plausible: [-10, 1500],
    withoutIt: 'cocip does not run',
  },
  {
    name: 'toa_outgoing_longwave_flux',
    unit: 'W/m2',
    onLevels: false,
    aliases: ['rlut'],
    units: FLUX,
    plausible: [0, 500],
    withoutIt: 'cocip does not run',
  },
  {
    name: 'toa_upward_shortwave_flux',
    unit: 'W/m2',
    onLevels: false,
    aliases: ['uswrf', 'sulwrf', 'USWRF'],
    units: FLUX,
    plausible: [-1, 1500],
    withoutIt: 'cocip does not run',
  },
  {
    name: 'toa_upward_longwave_flux',
    unit: 'W/m2',
    onLevels: false,
    aliases: ['ulwrf', 'ULWRF'],
    units: FLUX,
    plausible: [0, 500],
    withoutIt: 'cocip does not run',
  },
];

const BY_NAME = new Map(
  VARIABLES.flatMap((definition) =>
    [definition.name, ...definition.aliases].map((name) => [name, definition] as const),
  ),
);

/** The variable a file's short name, long name or standard name means; undefined when the models do not use it. */
export function findVariable(...names: readonly (string | undefined)[]): VariableDefinition | undefined {
  for (const name of names) {
    const definition = name === undefined ? undefined : BY_NAME.get(name);
    if (definition) return definition;
  }
  return undefined;
}
