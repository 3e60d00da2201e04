/**
 * The parameters of the models, declared once: `parameters` in a body, `--param name=value` of the commands, query parameters and
 * flags, limits of the configuration, the description of the API and the tables in docs come from here. Plain data without
 * imports that take time, because `--help` loads it. Names are those of the field's reference; durations name the unit.
 */
import type { CocipParams } from '@contrails/physics/cocip';
import type { NumberRule } from '@contrails/runtime/options/number';
import type { TrajectoryModel } from './models.ts';

export type ParameterValue =
  | number
  | boolean
  | string
  | null
  | readonly number[]
  | readonly (readonly number[])[];

interface CommonEntry {
  readonly description: string;
  readonly default: ParameterValue;
  /** What null means, where it is accepted. */
  readonly nullMeans?: string;
  /** The models that have it; the contrail model unless given. */
  readonly models?: readonly TrajectoryModel[];
  /** Its name in the contrail model, where it has one. */
  readonly cocip?: keyof CocipParams;
}

export interface NumberParameter
  extends CommonEntry,
    Pick<NumberRule, 'minimum' | 'exclusiveMinimum' | 'maximum' | 'integer'> {
  readonly kind: 'number';
  readonly unit: string;
  /** Units of the contrail model in one of these. */
  readonly factor?: number;
  /** Where it is a query parameter and a flag too. */
  readonly query?: {
    /** Its name in `TrajectoryOptions`. */
    readonly option: string;
    /** What stands for the value in the help of commands. */
    readonly placeholder: string;
    /** Where a query accepts less than a body. */
    readonly maximum?: number;
  };
}

export interface FlagParameter extends CommonEntry {
  readonly kind: 'flag';
}

export interface ChoiceParameter extends CommonEntry {
  readonly kind: 'choice';
  readonly choices: readonly string[];
}

/** Ascending numbers. */
export interface ListParameter extends CommonEntry, Pick<NumberRule, 'exclusiveMinimum' | 'maximum'> {
  readonly kind: 'list';
  readonly unit: string;
  readonly length: number;
}

/** Rows of shares that add up to 1. */
export interface SharesParameter extends CommonEntry {
  readonly kind: 'shares';
  readonly rows: number;
  readonly columns: number;
}

export type ParameterEntry =
  | NumberParameter
  | FlagParameter
  | ChoiceParameter
  | ListParameter
  | SharesParameter;

const WITH_AIRSPEED = ['sac', 'emissions', 'cocip'] as const;
const WITH_ENGINES = ['emissions', 'cocip'] as const;
const ALL = ['sac', 'issr', 'emissions', 'cocip'] as const;
const NO_LIMIT = 'no limit';
const flag = (cocip: keyof CocipParams, description: string) =>
  ({ kind: 'flag', cocip, default: false, description }) as const;

export const MODEL_PARAMETERS = {
  dt_integration_minutes: {
    kind: 'number',
    cocip: 'dtIntegrationS',
    factor: 60,
    unit: 'min',
    minimum: 1,
    maximum: 60,
    default: 10,
    description: 'Time step of the contrail model.',
    query: { option: 'dtIntegrationMinutes', placeholder: 'minutes', maximum: 30 },
  },
  max_age_hours: {
    kind: 'number',
    cocip: 'maxAgeS',
    factor: 3600,
    unit: 'h',
    exclusiveMinimum: 0,
    maximum: 72,
    default: 12,
    description: 'Longest life of a contrail.',
    query: { option: 'maxAgeHours', placeholder: 'hours', maximum: 24 },
  },
  dz_m: {
    kind: 'number',
    cocip: 'dzM',
    unit: 'm',
    exclusiveMinimum: 0,
    maximum: 5000,
    default: 200,
    description: 'Vertical distance over which shear and stratification are computed.',
  },
  effective_vertical_resolution: {
    kind: 'number',
    cocip: 'effectiveVerticalResolutionM',
    unit: 'm',
    exclusiveMinimum: 0,
    maximum: 20_000,
    default: 2000,
    description: 'Effective vertical resolution of the weather for the shear enhancement.',
  },
  wind_shear_enhancement_exponent: {
    kind: 'number',
    cocip: 'windShearEnhancementExponent',
    unit: '1',
    minimum: 0,
    maximum: 2,
    default: 0.5,
    description: 'Exponent of the shear enhancement; 0 disables it.',
  },
  smooth_true_airspeed: {
    kind: 'flag',
    cocip: 'smoothTrueAirspeed',
    default: true,
    models: WITH_AIRSPEED,
    description: 'Whether ground speeds are smoothed before airspeeds are computed from them.',
  },
  smooth_true_airspeed_window_length: {
    kind: 'number',
    cocip: 'smoothTrueAirspeedWindow',
    unit: 'segments',
    integer: true,
    minimum: 3,
    maximum: 101,
    default: 7,
    models: WITH_AIRSPEED,
    description: 'Window of this smoothing; even numbers are rounded down to an odd one.',
  },
  initial_wake_vortex_depth: {
    kind: 'number',
    cocip: 'initialWakeVortexDepth',
    unit: '1',
    exclusiveMinimum: 0,
    maximum: 2,
    default: 0.5,
    description: 'Initial depth of a contrail relative to the maximum descent of the wake vortices.',
  },
  turbulent_vertical_velocity_scale: {
    kind: 'number',
    cocip: 'turbulentVerticalVelocityScale',
    unit: 'm s-1',
    minimum: 0,
    maximum: 10,
    default: 0.1,
    description: 'Vertical velocity scale of ambient turbulence.',
  },
  sedimentation_impact_factor: {
    kind: 'number',
    cocip: 'sedimentationImpactFactor',
    unit: '1',
    minimum: 0,
    maximum: 10,
    default: 0.5,
    description: 'Weight of sedimentation in the vertical diffusivity.',
  },
  default_nvpm_ei_n: {
    kind: 'number',
    unit: 'kg-1',
    exclusiveMinimum: 0,
    maximum: 1e18,
    default: 1e15,
    models: WITH_ENGINES,
    description: 'Particles per kilogram of fuel for engines without databank values.',
  },
  nvpm_ei_n_enhancement_factor: {
    kind: 'number',
    cocip: 'nvpmEiNEnhancementFactor',
    unit: '1',
    exclusiveMinimum: 0,
    maximum: 1000,
    default: 1,
    description: 'Factor applied to the particles per kilogram of fuel.',
  },
  min_ice_particle_number_nvpm_ei_n: {
    kind: 'number',
    cocip: 'minIceParticleNumberNvpmEiN',
    unit: 'kg-1',
    minimum: 0,
    maximum: 1e18,
    default: 1e13,
    nullMeans: NO_LIMIT,
    description: 'Lower bound of the particles per kilogram of fuel that form ice.',
  },
  use_meem: {
    kind: 'flag',
    default: false,
    models: WITH_ENGINES,
    description: 'Whether particles are computed with MEEM2 instead of T4/T2.',
  },
  max_depth: {
    kind: 'number',
    cocip: 'maxDepthM',
    unit: 'm',
    exclusiveMinimum: 0,
    maximum: 20_000,
    default: 1500,
    nullMeans: NO_LIMIT,
    description: 'Maximum depth of a contrail.',
  },
  max_horizontal_diffusivity: {
    kind: 'number',
    cocip: 'maxHorizontalDiffusivity',
    unit: 'm2 s-1',
    exclusiveMinimum: 0,
    maximum: 1e6,
    default: null,
    nullMeans: NO_LIMIT,
    description: 'Maximum horizontal diffusivity.',
  },
  max_vertical_diffusivity: {
    kind: 'number',
    cocip: 'maxVerticalDiffusivity',
    unit: 'm2 s-1',
    exclusiveMinimum: 0,
    maximum: 1e6,
    default: null,
    nullMeans: NO_LIMIT,
    description: 'Maximum vertical diffusivity.',
  },
  filter_sac: {
    kind: 'flag',
    cocip: 'filterSac',
    default: true,
    description: 'Whether only waypoints that satisfy the Schmidt–Appleman criterion form contrails.',
  },
  filter_initially_persistent: {
    kind: 'flag',
    cocip: 'filterInitiallyPersistent',
    default: true,
    description: 'Whether only contrails with ice after the wake vortices are followed.',
  },
  persistent_buffer_minutes: {
    kind: 'number',
    cocip: 'persistentBufferS',
    factor: 60,
    unit: 'min',
    exclusiveMinimum: 0,
    maximum: 4320,
    default: null,
    nullMeans: 'not at all',
    description: 'How long a contrail is followed beyond its end.',
  },
  min_altitude_m: {
    kind: 'number',
    cocip: 'minAltitudeM',
    unit: 'm',
    minimum: 0,
    maximum: 25_000,
    default: 6000,
    nullMeans: NO_LIMIT,
    description: 'Altitude below which contrails end.',
  },
  max_altitude_m: {
    kind: 'number',
    cocip: 'maxAltitudeM',
    unit: 'm',
    minimum: 0,
    maximum: 25_000,
    default: 13_000,
    nullMeans: NO_LIMIT,
    description: 'Altitude above which contrails end.',
  },
  max_seg_length_m: {
    kind: 'number',
    cocip: 'maxSegLengthM',
    unit: 'm',
    exclusiveMinimum: 0,
    maximum: 1e6,
    default: 40_000,
    nullMeans: NO_LIMIT,
    description: 'Length above which segments end.',
  },
  min_tau: {
    kind: 'number',
    cocip: 'minTau',
    unit: '1',
    minimum: 0,
    maximum: 1e10,
    default: 1e-6,
    description: 'Optical depth below which contrails end.',
  },
  max_tau: {
    kind: 'number',
    cocip: 'maxTau',
    unit: '1',
    minimum: 0,
    maximum: 1e10,
    default: 1e10,
    description: 'Optical depth above which contrails end.',
  },
  min_n_ice_per_m3: {
    kind: 'number',
    cocip: 'minNIcePerM3',
    unit: 'm-3',
    minimum: 0,
    maximum: 1e20,
    default: 1e3,
    description: 'Number of ice particles per volume below which contrails end.',
  },
  max_n_ice_per_m3: {
    kind: 'number',
    cocip: 'maxNIcePerM3',
    unit: 'm-3',
    minimum: 0,
    maximum: 1e20,
    default: 1e20,
    description: 'Number of ice particles per volume above which contrails end.',
  },
  rf_sw_enhancement_factor: {
    kind: 'number',
    cocip: 'rfSwEnhancementFactor',
    unit: '1',
    minimum: 0,
    maximum: 100,
    default: 1,
    description: 'Factor applied to the shortwave forcing in the net forcing.',
  },
  rf_lw_enhancement_factor: {
    kind: 'number',
    cocip: 'rfLwEnhancementFactor',
    unit: '1',
    minimum: 0,
    maximum: 100,
    default: 1,
    description: 'Factor applied to the longwave forcing in the net forcing.',
  },
  radius_threshold_um: {
    kind: 'list',
    cocip: 'radiusThresholdUm',
    unit: 'um',
    length: 5,
    exclusiveMinimum: 0,
    maximum: 1e6,
    default: [5, 9.5, 23, 190, 310],
    description: 'Lower bounds of the size regimes 1 to 5 of the ice particles.',
  },
  habit_distributions: {
    kind: 'shares',
    cocip: 'habitDistributions',
    rows: 6,
    columns: 8,
    default: [
      [0, 0, 0, 0, 0, 0, 1, 0],
      [0, 0.3, 0, 0, 0, 0, 0.7, 0],
      [0, 0.3, 0, 0, 0.3, 0, 0.4, 0],
      [0, 0.5, 0, 0, 0.15, 0.35, 0, 0],
      [0, 0.45, 0.45, 0.1, 0, 0, 0, 0],
      [0, 0, 0, 0.03, 0.97, 0, 0, 0],
    ],
    description:
      'Shares of particle habits in each size regime: sphere, solid column, hollow column, rough aggregate, rosette, plate, droxtal, Myhre.',
  },
  unterstrasser_ice_survival_fraction: flag(
    'unterstrasserIceSurvivalFraction',
    'Ice survival in the wake vortices after Lottermoser and Unterstrasser (2025).',
  ),
  vpm_activation: flag(
    'vpmActivation',
    'Particle activation including volatile particles after Ponsonby et al. (2025).',
  ),
  radiative_heating_effects: flag(
    'radiativeHeatingEffects',
    'Radiative heating of contrails and the turbulence it causes.',
  ),
  revised_contrail_ice_budget: flag(
    'revisedContrailIceBudget',
    'Ice budget that includes uptake by sedimenting particles.',
  ),
  parametric_rf_model_s2025: flag(
    'parametricRfModelS2025',
    'Radiative forcing after Schumann (2025) instead of Schumann et al. (2012).',
  ),
  contrail_contrail_overlapping: flag(
    'contrailContrailOverlapping',
    'Radiative overlap of the contrails of all flights in the request; requires min_altitude_m and max_altitude_m.',
  ),
  dz_overlap_m: {
    kind: 'number',
    cocip: 'dzOverlapM',
    unit: 'm',
    minimum: 10,
    maximum: 25_000,
    default: 500,
    description: 'Depth of a layer in this overlap.',
  },
  interpolation_q_method: {
    kind: 'choice',
    choices: ['cubic-spline', 'log-q-log-p'],
    default: null,
    nullMeans: 'linear in pressure',
    models: ALL,
    description:
      'How specific humidity is interpolated between levels; histogram_matching uses the matching quantiles.',
  },
  global_rf_to_atr20_factor: {
    kind: 'number',
    unit: 'K m2 W-1',
    minimum: 0,
    maximum: 10,
    default: 0.0151,
    description: 'Factor from global mean forcing to atr20, the temperature response of `include=radiation`.',
  },
  single_precision_forcing: flag(
    'singlePrecisionForcing',
    'Rounds the forcing to single precision where the reference does, for comparison.',
  ),
} as const satisfies Record<string, ParameterEntry>;

export type ParameterName = keyof typeof MODEL_PARAMETERS;

/** Parameters that a request gives, by their names; plain data. */
export type GivenParameters = { readonly [Name in ParameterName]?: ParameterValue };

export const MODEL_PARAMETER_ENTRIES = Object.entries(MODEL_PARAMETERS) as readonly (readonly [
  ParameterName,
  ParameterEntry,
])[];

type Table = typeof MODEL_PARAMETERS;
type Queried<Option extends string = string> = { readonly query: { readonly option: Option } };

/** The parameters that are also in the query, by their names in `TrajectoryOptions`. */
export type QueriedNumbers = {
  readonly [Name in ParameterName as Table[Name] extends Queried<infer Option> ? Option : never]: number;
};

type QueriedName = { [Name in ParameterName]: Table[Name] extends Queried ? Name : never }[ParameterName];

export interface QueriedParameter extends NumberParameter {
  readonly query: Required<NumberParameter>['query'] & { readonly option: keyof QueriedNumbers };
}

export const QUERIED_PARAMETERS = MODEL_PARAMETER_ENTRIES.filter(
  ([, entry]) => entry.kind === 'number' && entry.query !== undefined,
) as readonly (readonly [ParameterName, ParameterEntry])[] as readonly (readonly [
  QueriedName,
  QueriedParameter,
])[];

/** The limits of a parameter, and those of the query where it is in one. */
export function limitsOf(
  { minimum, exclusiveMinimum, maximum, integer, query }: NumberParameter,
  where: 'body' | 'query' = 'body',
): Pick<NumberRule, 'minimum' | 'exclusiveMinimum' | 'maximum' | 'integer'> {
  const limits = { minimum, exclusiveMinimum, maximum, integer };
  const narrowed = where === 'query' && query?.maximum !== undefined ? { maximum: query.maximum } : {};
  return Object.fromEntries(
    Object.entries({ ...limits, ...narrowed }).filter(([, limit]) => limit !== undefined),
  );
}

/** What it is, and where else it can be given. */
export function describeParameter(entry: ParameterEntry): string {
  const query = entry.kind === 'number' ? entry.query : undefined;
  if (query === undefined) return entry.description;
  const there = query.maximum === undefined ? '' : `, there up to ${query.maximum}`;
  return entry.description.replace(/\.$/, `; also a query parameter${there}.`);
}

/** The parameters of a model. */
export function parametersOfModel(
  model: TrajectoryModel,
): readonly (readonly [ParameterName, ParameterEntry])[] {
  return MODEL_PARAMETER_ENTRIES.filter(([, { models = ['cocip'] }]) => models.includes(model));
}

/** Accepted values and the default, in short, for help and guide. */
export function rangeOf(entry: ParameterEntry): string {
  const orNull = entry.nullMeans === undefined ? '' : ` or null (${entry.nullMeans})`;
  const byDefault = entry.kind === 'shares' ? '' : `, default ${inShort(entry.default)}`;
  return `${valuesOf(entry)}${orNull}${byDefault}`;
}

function valuesOf(entry: ParameterEntry): string {
  switch (entry.kind) {
    case 'number': {
      const { minimum, exclusiveMinimum, maximum, unit, integer } = entry;
      const range =
        minimum === undefined
          ? `more than ${exclusiveMinimum}, up to ${inShort(maximum)}`
          : `${minimum} to ${inShort(maximum)}`;
      return `${range}${unit === '1' ? '' : ` ${unit}`}${integer ? ', whole' : ''}`;
    }
    case 'flag':
      return 'true or false';
    case 'choice':
      return entry.choices.join(' or ');
    case 'list':
      return `${entry.length} ascending numbers up to ${inShort(entry.maximum)} ${entry.unit}`;
    case 'shares':
      return `${entry.rows} rows of ${entry.columns} shares that add up to 1`;
  }
}

/** `1e13` instead of its zeros. */
function inShort(value: ParameterValue | undefined): string {
  if (typeof value !== 'number' || (Math.abs(value) < 1e6 && (Math.abs(value) >= 1e-3 || value === 0)))
    return JSON.stringify(value);
  return value.toExponential().replace('e+', 'e');
}
