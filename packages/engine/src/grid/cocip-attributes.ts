/** Attributes of the files of contrail grids. */

import type { WeatherOrigin } from '@contrails/met';
import { EFFECTIVE_OVER_RADIATIVE } from '@contrails/physics/cocip';
import { GRID_FIELDS, nameOf } from '@contrails/physics/fields';
import { MODELING_VERSION } from '../modeling-version.ts';
import {
  describeScaling,
  type HumidityScalingChoice,
  scalingForLevels,
} from '../weather/humidity-scaling.ts';
import { sourceAttributes } from '../weather/source-attributes.ts';
import { bufferAttributes } from './buffer.ts';
import { type CustomGrid, MAX_AGE_HOURS, TIME_STEP_MINUTES } from './cocip-model.ts';
import type { GridVariable } from './file.ts';
import type { CostUnit, GridTreatment } from './treatment.ts';

type VariableHead = Pick<GridVariable, 'name' | 'attributes' | 'validRange'>;

const headOf = (key: keyof typeof GRID_FIELDS): VariableHead => ({
  name: nameOf(GRID_FIELDS, key),
  attributes: { long_name: GRID_FIELDS[key].description, units: GRID_FIELDS[key].unit },
});

export const EF_PER_M = headOf('ef_per_m');

/** Hours as a unit of time: readers that know the conventions show a duration; xarray since 2025 needs the type as well. */
export const AGE: VariableHead = {
  ...headOf('contrail_age'),
  attributes: { ...headOf('contrail_age').attributes, dtype: 'timedelta64[ns]' },
};

export const INDEX: VariableHead = { ...headOf('contrails'), validRange: [0, 4] };

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
    ...EF_PER_M.attributes,
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

const EF_ATTRIBUTES = { long_name: GRID_FIELDS.ef_per_m.description, units: GRID_FIELDS.ef_per_m.unit };

/** The variable of a unit. */
export const UNIT_VARIABLES: Readonly<
  Record<CostUnit, { readonly name: CostUnit; readonly attributes: { long_name: string; units: string } }>
> = {
  ef_per_m: { name: 'ef_per_m', attributes: EF_ATTRIBUTES },
  j_per_m: { name: 'j_per_m', attributes: EF_ATTRIBUTES },
  co2e_kg_per_km: {
    name: 'co2e_kg_per_km',
    attributes: { long_name: 'CO2 equivalent of contrails per kilometre of flight', units: 'kg / km' },
  },
  cost_per_nm: {
    name: 'cost_per_nm',
    attributes: { long_name: 'Cost of contrails per nautical mile of flight', units: '1 / nmi' },
  },
};

/** File attributes of the cells' treatment. */
export function treatmentAttributes(treatment: GridTreatment): Record<string, string | number> {
  const { bufferCells, neighbourhoodKm, neighbourhood, neighbourhoodHours, prices } = treatment;
  return {
    ...bufferAttributes(bufferCells),
    ...(neighbourhoodKm > 0 ? { neighbourhood_km: neighbourhoodKm } : {}),
    ...(neighbourhoodHours > 0 ? { neighbourhood_hours: neighbourhoodHours } : {}),
    ...(neighbourhoodKm > 0 || neighbourhoodHours > 0 ? { neighbourhood } : {}),
    ...(prices?.unit === 'cost_per_nm' ? { carbon_price: prices.carbonPrice, cooling: prices.cooling } : {}),
    ...(prices?.unit === 'cost_per_nm' || prices?.unit === 'co2e_kg_per_km'
      ? { horizon: prices.horizon, efficacy: EFFECTIVE_OVER_RADIATIVE }
      : {}),
  };
}
