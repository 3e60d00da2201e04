/** Random parameters of the models: each one alone, then many together. */

import type {
  GivenParameters,
  ParameterName,
  ParameterValue,
} from '@contrails/engine/flights/parameter-table';
import { seededRandom } from '@contrails/testbed/weather/random';

export interface ParameterSet {
  readonly name: string;
  readonly scaling: 'none' | 'exponential_boost_latitude_customization' | 'histogram_matching';
  readonly parameters: GivenParameters;
}

type Random = () => number;
type Draw = (random: Random) => ParameterValue;

const between =
  (low: number, high: number): Draw =>
  (random) =>
    Number((low + (high - low) * random()).toPrecision(4));
const power =
  (low: number, high: number): Draw =>
  (random) =>
    Number((10 ** (low + (high - low) * random())).toPrecision(4));
const among =
  (...values: readonly ParameterValue[]): Draw =>
  (random) =>
    values[Math.floor(random() * values.length)] as ParameterValue;
const orNull =
  (draw: Draw): Draw =>
  (random) =>
    random() < 0.3 ? null : draw(random);
const always =
  (value: ParameterValue): Draw =>
  () =>
    value;

/** Where each parameter is moved to: away from its default, within what the peer can follow. */
const DRAWS: Readonly<Record<ParameterName, Draw>> = {
  dt_integration_minutes: among(5, 15, 20, 30, 45, 60),
  max_age_hours: among(1, 2.5, 4, 8, 16, 18),
  dz_m: between(100, 400),
  effective_vertical_resolution: between(500, 4000),
  wind_shear_enhancement_exponent: between(0, 1),
  smooth_true_airspeed: always(false),
  smooth_true_airspeed_window_length: among(3, 5, 9, 15),
  initial_wake_vortex_depth: between(0.2, 0.9),
  turbulent_vertical_velocity_scale: between(0.02, 0.4),
  sedimentation_impact_factor: between(0, 2),
  default_nvpm_ei_n: power(14, 16),
  nvpm_ei_n_enhancement_factor: between(0.1, 5),
  min_ice_particle_number_nvpm_ei_n: orNull(power(12, 16)),
  use_meem: always(true),
  max_depth: orNull(between(150, 3000)),
  max_horizontal_diffusivity: between(1, 50),
  max_vertical_diffusivity: between(0.05, 2),
  filter_sac: always(false),
  filter_initially_persistent: always(false),
  persistent_buffer_minutes: among(30, 60, 120, 240),
  min_altitude_m: orNull(between(5000, 10_000)),
  max_altitude_m: orNull(between(11_000, 14_000)),
  max_seg_length_m: between(8000, 80_000),
  min_tau: power(-7, -2),
  max_tau: between(0.1, 5),
  min_n_ice_per_m3: power(2, 6),
  max_n_ice_per_m3: power(9, 12),
  rf_sw_enhancement_factor: between(0, 3),
  rf_lw_enhancement_factor: between(0, 3),
  radius_threshold_um: (random) => {
    const steps = Array.from({ length: 5 }, () => 0.5 + 3 * random());
    return steps.map((_, k) =>
      Number(
        steps
          .slice(0, k + 1)
          .reduce((a, b) => a + b)
          .toPrecision(4),
      ),
    );
  },
  habit_distributions: (random) =>
    Array.from({ length: 6 }, () => {
      // Eighths, which single precision has exactly: the peer checks the sums in it.
      const shares = new Array<number>(8).fill(0);
      for (let k = 0; k < 8; k++) {
        const habit = Math.floor(random() * 8);
        shares[habit] = (shares[habit] as number) + 1 / 8;
      }
      return shares;
    }),
  unterstrasser_ice_survival_fraction: always(true),
  vpm_activation: always(true),
  radiative_heating_effects: always(true),
  revised_contrail_ice_budget: always(true),
  parametric_rf_model_s2025: always(true),
  contrail_contrail_overlapping: always(true),
  // The peer leaves out a last layer that is not whole.
  dz_overlap_m: among(250, 350, 700, 875, 1000, 1400),
  interpolation_q_method: among('cubic-spline', 'log-q-log-p'),
  global_rf_to_atr20_factor: between(0.005, 0.05),
  single_precision_forcing: always(true),
};

const NAMES = Object.keys(DRAWS) as ParameterName[];
const OVERLAP: readonly ParameterName[] = ['contrail_contrail_overlapping', 'dz_overlap_m'];
/** Share of the parameters that move together. */
const SHARE = 0.35;

/** One set for each parameter, and as many of several; the same ones for the same seed. */
export function parameterSets(seed: number, count: number = 2 * NAMES.length): ParameterSet[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, s) => {
    const alone = NAMES[s];
    const several = alone === undefined ? NAMES.filter(() => random() < SHARE) : [alone];
    // The peer cannot activate particles where the air is unknown, nor follow ended contrails in a fleet.
    const isLeftOut = (name: ParameterName) =>
      (name === 'filter_sac' && several.includes('vpm_activation')) ||
      (name === 'persistent_buffer_minutes' && several.some((other) => OVERLAP.includes(other)));
    const moved = several.filter((name) => !isLeftOut(name));
    const drawn = Object.fromEntries(moved.map((name) => [name, DRAWS[name](random)]));
    // Layers need their limits, and their depth something to divide into whole ones.
    const overlaps = 'dz_overlap_m' in drawn || 'contrail_contrail_overlapping' in drawn;
    const parameters: GivenParameters = {
      ...drawn,
      ...(overlaps
        ? { contrail_contrail_overlapping: true, min_altitude_m: 6000, max_altitude_m: 13_000 }
        : {}),
      // As the peer computes; what is served differs by this rounding alone.
      single_precision_forcing: true,
    };
    const isLogarithmic = parameters.interpolation_q_method === 'log-q-log-p';
    const scalings = ['none', 'histogram_matching', 'exponential_boost_latitude_customization'] as const;
    return {
      name: alone ?? `${s - NAMES.length + 1} together`,
      scaling: scalings[Math.floor(random() * (isLogarithmic ? 2 : 3))] ?? 'none',
      parameters,
    };
  });
}

/** Parameters of which every set must have moved one. */
export const MOVED_PARAMETERS = NAMES;
