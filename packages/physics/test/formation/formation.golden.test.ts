import { goldenCsv, printWorstDeviations } from '../support/golden.ts';
import * as physics from '../support/physics.ts';

printWorstDeviations();

goldenCsv('schmidt_appleman.csv', (golden) => {
  const q = golden.input('specific_humidity');
  const temperature = golden.input('temperature_k');
  const pressure = golden.input('pressure_pa');
  const efficiency = golden.input('engine_efficiency');
  const eiH2o = golden.input('ei_h2o_kg_kg');
  const qFuel = golden.input('q_fuel_j_kg');
  const slope = (i: number) => physics.mixingLineSlope(q(i), pressure(i), efficiency(i), eiH2o(i), qFuel(i));
  const threshold = (i: number) => physics.thresholdTemperature(slope(i));
  const rh = (i: number) => physics.relativeHumidityLiquid(q(i), temperature(i), pressure(i));
  const critical = (i: number) => physics.criticalRelativeHumidity(temperature(i), slope(i), threshold(i));
  const sac = (i: number) => physics.sacFlag(rh(i), critical(i));
  const rhi = (i: number) => physics.relativeHumidityIce(q(i), temperature(i), pressure(i));
  const issr = (i: number) => physics.issrFlag(rhi(i), temperature(i));
  golden.check('mixing_line_slope_pa_k', slope);
  golden.check('t_sat_liquid_k', threshold);
  golden.check('t_sat_liquid_newton_k', (i) => physics.refinedThresholdTemperature(slope(i)));
  golden.check('rh_liquid', rh);
  golden.check('rh_critical', critical);
  golden.check('sac', sac);
  golden.check('t_critical_k', (i) => physics.criticalTemperature(rh(i), slope(i), threshold(i)));
  golden.check('rh_ice', rhi);
  golden.check('issr', issr);
  golden.check('pcr', (i) => physics.pcrFlag(issr(i), sac(i)));
});

goldenCsv('potential_contrail_cover.csv', (golden) => {
  const q = golden.input('specific_humidity');
  const temperature = golden.input('temperature_k');
  const pressure = golden.input('pressure_pa');
  const cloudIce = golden.input('cloud_ice_kg_kg');
  const surface = golden.input('surface_pressure_pa');
  for (const cloudModel of ['Smith1990', 'Sundqvist1989', 'Slingo1980'] as const) {
    golden.check(`pcc_${cloudModel.toLowerCase()}`, (i) =>
      physics.potentialContrailCover(q(i), temperature(i), pressure(i), cloudIce(i), surface(i), {
        ...physics.DEFAULT_PCC_PARAMS,
        cloudModel,
      }),
    );
  }
});

goldenCsv('cirrus_extinction.csv', (golden) => {
  const cloudIce = golden.input('cloud_ice_kg_kg');
  const temperature = golden.input('temperature_k');
  const pressure = golden.input('pressure_pa');
  golden.check('extinction_per_m', (i) => physics.cirrusExtinction(cloudIce(i), temperature(i), pressure(i)));
});

goldenCsv('cirrus_optical_depth_column.csv', (golden) => {
  const level = golden.column('level_hpa');
  const depth = (heightM: Float64Array) => {
    const out = new Float64Array(golden.rowCount);
    physics.cirrusOpticalDepthInto(
      out,
      golden.column('cloud_ice_kg_kg'),
      golden.column('temperature_k'),
      level.map((hpa) => 100 * hpa),
      heightM,
    );
    return (i: number) => out[i] as number;
  };
  const heights = golden.column('geopotential_m2_s2').map(physics.geopotentialHeight);
  golden.check('tau_cirrus_with_geopotential', depth(heights));
  golden.check('tau_cirrus_without_geopotential', depth(level.map(physics.isaGeopotentialHeight)));
});
