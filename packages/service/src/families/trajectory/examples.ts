/** What the demonstration returns for the example of a flight, for the API page. */

import { outputColumns, TRAJECTORY_MODELS, type TrajectoryModel } from '@contrails/engine/flights/models';
import { published, unitsOf, WAYPOINT_FIELDS } from '@contrails/physics/fields';

const COMMON = {
  flight_id: 1_794_732_319_529_000,
  met_source_provider: 'Contrails',
  met_source_dataset: 'synthetic',
  met_source_product: 'demonstration',
  modeling_version: '0.1.0',
  humidity_scaling_name: 'exponential_boost_latitude_customization',
  humidity_scaling_formula: 'rhi -> (rhi / rhi_adj) ^ rhi_boost_exponent',
};

const EMISSIONS = {
  nvpm_data_source: 'ICAO EDB (T4/T2)',
  engine_uid: '01P08CM105',
  nox_ei: [0.009189714, 0.009182055, 0.009173475, 0.009172542, null],
  nvpm_ei_n: [1.07159e15, 1.070658e15, 1.069596e15, 1.069783e15, null],
};

const ANSWERS: Readonly<Record<TrajectoryModel, Readonly<Record<string, unknown>>>> = {
  sac: { ...COMMON, sac: [1, 1, 1, 1, null] },
  issr: { ...COMMON, issr: [0, 1, 1, 1, 1] },
  emissions: { ...COMMON, ...EMISSIONS },
  cocip: {
    ...COMMON,
    cocip_max_contrail_age: '12 hours',
    cocip_dt_integration: '10 minutes',
    ...EMISSIONS,
    sac: [1, 1, 1, 1, null],
    energy_forcing: [9.651846e12, 1.082292e13, 1.171957e13, 0, 0],
    contrail_age: [278, 266, 254, 0, 0],
    initially_persistent: [1, 1, 1, 1, 0],
  },
  accf: {
    ...COMMON,
    humidity_scaling_name: 'none',
    humidity_scaling_formula: 'rhi -> rhi',
    accf_parameters: {
      accf_v: 'V1.0A',
      efficacy: true,
      emission_scenario: 'pulse',
      time_horizon: 20,
      pmo: true,
      pcfa: 'issr',
      issr_rhi_threshold: 0.9,
      issr_temp_threshold: 235,
      nox_ei: 0.013,
      km_per_kg_fuel: 0.16,
    },
    geopotential_source: 'given',
    potential_vorticity_source: 'computed',
    aCCF_O3: [2.598211e-13, 2.598524e-13, 2.598815e-13, 2.598617e-13, 2.598167e-13],
    aCCF_CH4: [-2.767179e-14, -2.766517e-14, -2.76586e-14, -2.765318e-14, -2.764835e-14],
    aCCF_PMO: [-8.024818e-15, -8.022899e-15, -8.020994e-15, -8.019422e-15, -8.018023e-15],
    aCCF_NOx: [2.241245e-13, 2.241643e-13, 2.242019e-13, 2.241891e-13, 2.241503e-13],
    aCCF_H2O: [1.722533e-16, 1.728331e-16, 1.734157e-16, 1.740059e-16, 1.746024e-16],
    aCCF_nCont: [1.191375e-13, 1.190189e-13, 1.188967e-13, 1.187166e-13, 1.185069e-13],
    aCCF_dCont: [7.223977e-15, 5.829569e-15, 5.164787e-15, 6.162386e-15, 8.306732e-15],
    aCCF_Cont: [1.191375e-13, 1.190189e-13, 1.188967e-13, 1.187166e-13, 1.185069e-13],
    aCCF_CO2: [7.48e-16, 7.48e-16, 7.48e-16, 7.48e-16, 7.48e-16],
    aCCF_merged: [2.289587e-14, 2.287799e-14, 2.28595e-14, 2.283113e-14, 2.279766e-14],
    pcfa: [1, 1, 1, 1, 1],
  },
};

export const EXAMPLE_ANSWERS = Object.fromEntries(
  TRAJECTORY_MODELS.map((model) => [
    model,
    {
      ...published(WAYPOINT_FIELDS, ANSWERS[model]),
      units: unitsOf(WAYPOINT_FIELDS, outputColumns(model, [])),
    },
  ]),
) as Readonly<Record<TrajectoryModel, object>>;
