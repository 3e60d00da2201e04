/** A short flight over the Atlantic and what the demonstration returns for it, for the API page. */

/** The same as `docs/examples/flight.json`. */
export const EXAMPLE_FLIGHT = {
  longitude: [-57.7, -57.4, -57.1, -56.8, -56.5],
  latitude: [40.1, 40.2, 40.3, 40.4, 40.5],
  altitude: [33_000, 33_000, 33_000, 33_000, 33_000],
  time: [
    '2024-02-29T06:02Z',
    '2024-02-29T06:04Z',
    '2024-02-29T06:06Z',
    '2024-02-29T06:08Z',
    '2024-02-29T06:10Z',
  ],
  aircraft_type: 'A320',
};

export const EXAMPLE_FLEET = {
  flight_id: ['first', 'first', 'first', 'second', 'second', 'second'],
  aircraft_type: ['A320', 'A320', 'A320', 'B738', 'B738', 'B738'],
  longitude: [-57.7, -57.4, -57.1, -33.4, -33.1, -32.8],
  latitude: [40.1, 40.2, 40.3, 49, 49.1, 49.2],
  altitude: [33_000, 33_000, 33_000, 33_000, 33_000, 33_000],
  time: [
    '2024-02-29T06:02Z',
    '2024-02-29T06:04Z',
    '2024-02-29T06:06Z',
    '2024-02-29T09:52Z',
    '2024-02-29T09:54Z',
    '2024-02-29T09:56Z',
  ],
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
  nox_ei: [0.009189714, 0.009182055, 0.009173475, 0.009172542, null],
  nvpm_ei_n: [1.07159e15, 1.070658e15, 1.069596e15, 1.069783e15, null],
};

export const EXAMPLE_ANSWERS = {
  sac: { ...COMMON, sac: [1, 1, 1, 1, null], units: { sac: '1' } },
  issr: { ...COMMON, issr: [0, 1, 1, 1, 1], units: { issr: '1' } },
  emissions: { ...COMMON, ...EMISSIONS, units: { nox_ei: 'kg kg-1', nvpm_ei_n: 'kg-1' } },
  cocip: {
    ...COMMON,
    cocip_max_contrail_age: '12 hours',
    cocip_dt_integration: '10 minutes',
    ...EMISSIONS,
    sac: [1, 1, 1, 1, null],
    energy_forcing: [9.651846e12, 1.082292e13, 1.171957e13, 0, 0],
    contrail_age: [278, 266, 254, 0, 0],
    initially_persistent: [1, 1, 1, 1, 0],
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
