/** A short flight over the Atlantic and what is answered for it, for the API page. */

export const EXAMPLE_FLIGHT = {
  longitude: [-29, -28, -27, -26],
  latitude: [50, 50.4, 50.8, 51.2],
  altitude: [35_000, 35_000, 36_000, 36_000],
  time: ['2024-02-29T06:00:00Z', '2024-02-29T06:05:00Z', '2024-02-29T06:10:00Z', '2024-02-29T06:15:00Z'],
  aircraft_type: 'B738',
};

export const EXAMPLE_FLEET = {
  ...EXAMPLE_FLIGHT,
  flight_id: ['first', 'first', 'second', 'second'],
  aircraft_type: ['B738', 'B738', 'A320', 'A320'],
};

const COMMON = {
  flight_id: 1_709_190_000_000_000,
  met_source_provider: 'ECMWF',
  met_source_dataset: 'ERA5',
  met_source_product: 'reanalysis',
  modeling_version: '0.1.0',
  humidity_scaling_name: 'exponential_boost_latitude_customization',
  humidity_scaling_formula: 'rhi -> (rhi / rhi_adj) ^ rhi_boost_exponent',
};

const EMISSIONS = {
  nvpm_data_source: 'ICAO EDB (T4/T2)',
  engine_uid: '01P11CM116',
  nox_ei: [0.01021, 0.01019, 0.00994, null],
  nvpm_ei_n: [1.19e15, 1.188e15, 1.171e15, null],
};

export const EXAMPLE_ANSWERS = {
  sac: { ...COMMON, sac: [1, 1, 1, null], units: { sac: '1' } },
  issr: { ...COMMON, issr: [1, 1, 0, 0], units: { issr: '1' } },
  emissions: { ...COMMON, ...EMISSIONS, units: { nox_ei: 'kg kg-1', nvpm_ei_n: 'kg-1' } },
  cocip: {
    ...COMMON,
    cocip_max_contrail_age: '12 hours',
    cocip_dt_integration: '10 minutes',
    ...EMISSIONS,
    sac: [1, 1, 1, null],
    energy_forcing: [5.81e12, 2.93e12, 0, 0],
    contrail_age: [190, 145, 0, 0],
    initially_persistent: [1, 1, 0, 0],
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
