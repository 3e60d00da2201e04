import { goldenCsv, printWorstDeviations } from '../support/golden.ts';
import * as physics from '../support/physics.ts';

printWorstDeviations();

goldenCsv('saturation_pressure.csv', (golden) => {
  const temperature = golden.input('temperature_k');
  golden.check('e_ice_pa', (i) => physics.saturationPressureIce(temperature(i)));
  golden.check('e_liquid_pa', (i) => physics.saturationPressureLiquid(temperature(i)));
  golden.check('de_liquid_dt_pa_k', (i) => physics.saturationPressureLiquidSlope(temperature(i)));
  golden.check('e_liquid_sonntag_pa', (i) => physics.saturationPressureLiquidSonntag(temperature(i)));
  golden.check('de_liquid_sonntag_dt_pa_k', (i) =>
    physics.saturationPressureLiquidSonntagSlope(temperature(i)),
  );
  golden.check('e_liquid_above_273_15_else_ice_pa', (i) => physics.saturationPressureMixed(temperature(i)));
});

goldenCsv('humidity.csv', (golden) => {
  const q = golden.input('specific_humidity');
  const temperature = golden.input('temperature_k');
  const pressure = golden.input('pressure_pa');
  golden.check('vapour_pressure_pa', (i) => physics.vapourPressure(q(i), pressure(i)));
  golden.check('rh_liquid', (i) => physics.relativeHumidityLiquid(q(i), temperature(i), pressure(i)));
  golden.check('rh_ice', (i) => physics.relativeHumidityIce(q(i), temperature(i), pressure(i)));
  golden.check('q_sat', (i) => physics.saturationHumidityMixed(temperature(i), pressure(i)));
  golden.check('q_sat_ice', (i) => physics.saturationHumidityIce(temperature(i), pressure(i)));
  golden.check('q_sat_liquid', (i) => physics.saturationHumidityLiquid(temperature(i), pressure(i)));
  golden.check('c_pm_j_kg_k', (i) => physics.moistHeatCapacity(q(i)));
});

goldenCsv('fuel.csv', (golden) => {
  const share = golden.input('saf_percent');
  const name = golden.text('fuel');
  const fuel = (i: number): physics.Fuel => {
    if (name[i] === physics.JET_A1.name) return physics.JET_A1;
    return name[i] === physics.HYDROGEN.name ? physics.HYDROGEN : physics.safBlend(share(i));
  };
  for (let i = 0; i < golden.rowCount; i++) golden.compareText('fuel', fuel(i).name, name[i] ?? '');
  golden.check('q_fuel_j_kg', (i) => fuel(i).qFuelJKg);
  golden.check('hydrogen_content_percent', (i) => fuel(i).hydrogenContentPercent);
  golden.check('ei_co2', (i) => fuel(i).eiCo2);
  golden.check('ei_h2o', (i) => fuel(i).eiH2o);
  golden.check('ei_so2', (i) => fuel(i).eiSo2);
  golden.check('ei_sulphates', (i) => fuel(i).eiSulphates);
  golden.check('ei_oc', (i) => fuel(i).eiOrganicCarbon);
});

goldenCsv('stability.csv', (golden) => {
  const temperature = golden.input('temperature_k');
  const pressure = golden.input('pressure_pa');
  const dz = golden.input('dz_m');
  const lowerTemperature = golden.input('temperature_lower_k');
  const lowerPressure = (i: number) => physics.pressureBelow(temperature(i), pressure(i), dz(i));
  const gradient = (i: number) =>
    physics.potentialTemperatureGradient(
      temperature(i),
      pressure(i),
      lowerTemperature(i),
      lowerPressure(i),
      dz(i),
    );
  golden.check('density_kg_m3', (i) => physics.airDensity(temperature(i), pressure(i)));
  golden.check('vapour_density_kg_m3', (i) => physics.vapourDensity(temperature(i), pressure(i)));
  golden.check('potential_temperature_k', (i) => physics.potentialTemperature(temperature(i), pressure(i)));
  golden.check('pressure_lower_pa', lowerPressure);
  golden.check('potential_temperature_gradient_k_m', gradient);
  golden.check('brunt_vaisala_s', (i) => physics.bruntVaisala(temperature(i), pressure(i), gradient(i)));
  golden.check('vapour_diffusivity_m2_s', (i) => physics.vapourDiffusivity(temperature(i), pressure(i)));
  golden.check('dynamic_viscosity_pa_s', (i) => physics.dynamicViscosity(temperature(i)));
});

goldenCsv('wind_shear.csv', (golden) => {
  const uTop = golden.input('u_top_m_s');
  const uBottom = golden.input('u_bottom_m_s');
  const vTop = golden.input('v_top_m_s');
  const vBottom = golden.input('v_bottom_m_s');
  const sinA = golden.input('sin_a');
  const cosA = golden.input('cos_a');
  const dz = golden.input('dz_m');
  const depth = golden.input('contrail_depth_m');
  const resolution = golden.input('effective_vertical_resolution_m');
  const exponent = golden.input('enhancement_exponent');
  golden.check('wind_shear_s', (i) => physics.windShear(uTop(i), uBottom(i), vTop(i), vBottom(i), dz(i)));
  golden.check('wind_shear_normal_s', (i) =>
    physics.windShearNormal(uTop(i), uBottom(i), vTop(i), vBottom(i), sinA(i), cosA(i), dz(i)),
  );
  golden.check('enhancement_factor', (i) =>
    physics.windShearEnhancement(depth(i), resolution(i), exponent(i)),
  );
});
