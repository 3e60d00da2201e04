/** A short flight over the Atlantic and what the demonstration answers for it, for the API page. */

export const EXAMPLE_FLIGHT = {
  longitude: [-56.6, -56.3, -56, -55.7],
  latitude: [40.5, 40.6, 40.7, 40.8],
  altitude: [35_000, 35_000, 35_000, 35_000],
  time: ['2024-02-29T01:10:00Z', '2024-02-29T01:12:00Z', '2024-02-29T01:14:00Z', '2024-02-29T01:16:00Z'],
  aircraft_type: 'A320',
};

export const EXAMPLE_FLEET = {
  longitude: [...EXAMPLE_FLIGHT.longitude, 5, 5.3, 5.6, 5.9],
  latitude: [...EXAMPLE_FLIGHT.latitude, 50, 50.1, 50.2, 50.3],
  altitude: [...EXAMPLE_FLIGHT.altitude, 37_000, 37_000, 37_000, 37_000],
  time: [...EXAMPLE_FLIGHT.time, ...EXAMPLE_FLIGHT.time],
  flight_id: ['first', 'first', 'first', 'first', 'second', 'second', 'second', 'second'],
  aircraft_type: ['A320', 'A320', 'A320', 'A320', 'B738', 'B738', 'B738', 'B738'],
};

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
  nox_ei: [0.00907192, 0.009063433, 0.009054471, null],
  nvpm_ei_n: [1.134256e15, 1.133183e15, 1.132034e15, null],
};

export const EXAMPLE_ANSWERS = {
  sac: { ...COMMON, sac: [1, 1, 1, null], units: { sac: '1' } },
  issr: { ...COMMON, issr: [1, 1, 1, 1], units: { issr: '1' } },
  emissions: { ...COMMON, ...EMISSIONS, units: { nox_ei: 'kg kg-1', nvpm_ei_n: 'kg-1' } },
  cocip: {
    ...COMMON,
    cocip_max_contrail_age: '12 hours',
    cocip_dt_integration: '10 minutes',
    ...EMISSIONS,
    sac: [1, 1, 1, null],
    energy_forcing: [4.967539e13, 4.932916e13, 0, 0],
    contrail_age: [490, 478, 0, 0],
    initially_persistent: [1, 1, 1, 0],
    units: {
      sac: '1',
      nox_ei: 'kg kg-1',
      nvpm_ei_n: 'kg-1',
      energy_forcing: 'J',
      contrail_age: 'min',
      initially_persistent: '1',
    },
  },
} as const;
