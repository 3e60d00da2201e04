/** Attributes of the files of contrail grids. */

import type { WeatherOrigin } from '@contrails/met';
import { MODELING_VERSION } from '../modeling-version.ts';
import {
  describeScaling,
  type HumidityScalingChoice,
  scalingForLevels,
} from '../weather/humidity-scaling.ts';
import { sourceAttributes } from '../weather/source-attributes.ts';
import { type CustomGrid, MAX_AGE_HOURS, TIME_STEP_MINUTES } from './cocip-model.ts';
import type { GridVariable } from './file.ts';

type VariableHead = Pick<GridVariable, 'name' | 'attributes' | 'validRange'>;

export const EF_PER_M: VariableHead = {
  name: 'ef_per_m',
  attributes: { long_name: 'Energy forcing per meter of flight trajectory', units: 'J / m' },
};

/** Hours as a unit of time: readers that know the conventions show a duration; xarray since 2025 needs the type as well. */
export const AGE: VariableHead = {
  name: 'contrail_age',
  attributes: {
    long_name: 'Total age in hours of persistent contrail',
    units: 'hours',
    dtype: 'timedelta64[ns]',
  },
};

export const INDEX: VariableHead = {
  name: 'contrails',
  attributes: { long_name: 'Contrail forcing index', units: '' },
  validRange: [0, 4],
};

/** Whose weather a forecast is made of, as its catalogue entry has it, and by which version. */
export function provenance(
  { provider, dataset, product, kind, radiation, attribution }: Readonly<Record<string, string | undefined>>,
  version: string,
): Record<string, string> {
  return {
    met_source_provider: provider ?? 'unknown',
    met_source_dataset: dataset ?? 'unknown',
    met_source_product: product ?? 'unknown',
    ...(radiation && { met_source_radiation: radiation }),
    ...(attribution && { met_source_attribution: attribution }),
    ...(kind && { met_source_synthetic: kind === 'synthetic' ? 'true' : 'false' }),
    modeling_version: version,
  };
}

/** Attributes of the data set of a contrail grid, in files and polygons alike. */
export function cocipAttributes(
  { type, humidityScaling }: { readonly type: string; readonly humidityScaling: HumidityScalingChoice },
  origin: WeatherOrigin,
  custom?: CustomGrid,
): Record<string, string | number> {
  const scaling = scalingForLevels(
    custom?.scaling ?? { name: humidityScaling, options: {} },
    origin.levelType,
  );
  const { name, formula, parameters } = describeScaling(scaling);
  return {
    name: 'cocip',
    aircraft_type: type,
    cocip_dt_integration: `${custom?.dtIntegrationMinutes ?? TIME_STEP_MINUTES} minutes`,
    cocip_max_contrail_age: `${custom?.maxAgeHours ?? MAX_AGE_HOURS} hours`,
    humidity_scaling_name: name,
    humidity_scaling_formula: formula,
    ...Object.fromEntries(
      Object.entries(parameters).map(([parameter, value]) => [`humidity_scaling_${parameter}`, value]),
    ),
    ...customAttributes(custom),
    long_name: 'Energy forcing per meter of flight trajectory',
    units: 'J / m',
    ...sourceAttributes(origin),
    modeling_version: MODELING_VERSION,
  };
}

function customAttributes(custom: CustomGrid | undefined): Record<string, string | number> {
  const { azimuthDeg, safBlendPercent, aircraftMassKg } = custom ?? {};
  return {
    ...(azimuthDeg === undefined ? {} : { azimuth: azimuthDeg }),
    ...(safBlendPercent === undefined ? {} : { fuel: 'SAF', saf_blend_pct: safBlendPercent }),
    ...(aircraftMassKg === undefined ? {} : { aircraft_mass: aircraftMassKg }),
  };
}
