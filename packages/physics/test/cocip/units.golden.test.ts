import { saturationHumidityIce } from '../../src/atmosphere/humidity.ts';
import { bruntVaisala, windShearEnhancement } from '../../src/atmosphere/stratification.ts';
import { airDensity } from '../../src/atmosphere/thermodynamics.ts';
import * as evolution from '../../src/cocip/evolution.ts';
import { effectiveRadiusUm, habitRegime } from '../../src/cocip/habits.ts';
import { sedimentedIceWaterContent } from '../../src/cocip/ice-budget.ts';
import * as survival from '../../src/cocip/ice-survival.ts';
import * as ice from '../../src/cocip/initial-ice.ts';
import { DEFAULT_COCIP_PARAMS } from '../../src/cocip/params.ts';
import { isPersistent } from '../../src/cocip/persistence.ts';
import * as plume from '../../src/cocip/plume.ts';
import * as forcing from '../../src/cocip/radiative-forcing.ts';
import { FORCING_2025 } from '../../src/cocip/radiative-forcing-2025.ts';
import * as heating from '../../src/cocip/radiative-heating.ts';
import * as wake from '../../src/cocip/wake-vortex.ts';
import { type UnitRow, unitTable } from '../support/cocip-units.ts';
import { printWorstDeviations } from '../support/golden.ts';

printWorstDeviations();

const EI_H2O = 1.23;

const wakeScale = (r: UnitRow, e: UnitRow) =>
  wake.effectiveTimeScaleS(r('wingspan'), r('true_airspeed'), r('aircraft_mass'), e('rho_air'));
const strongDescent = (r: UnitRow, e: UnitRow) =>
  wake.strongStratificationDescentM(
    r('wingspan'),
    r('true_airspeed'),
    r('aircraft_mass'),
    e('rho_air'),
    e('n_bv'),
  );
const descent = (r: UnitRow, e: UnitRow) =>
  wake.maxDescentM(
    r('wingspan'),
    r('true_airspeed'),
    r('aircraft_mass'),
    e('rho_air'),
    e('n_bv'),
    r('ds_dz'),
    0.1,
    2000,
    0.5,
  );

unitTable('wake-vortex.json', {
  rho_air: (r) => airDensity(r('T'), r('p')),
  n_bv: (r) => bruntVaisala(r('T'), r('p'), r('dT_dz')),
  t_0: wakeScale,
  n_bv_t0: (r, e) => e('n_bv') * wakeScale(r, e),
  dz_max_strong: strongDescent,
  shear_enhancement: (r, e) => windShearEnhancement(Math.max(strongDescent(r, e), 10), 2000, 0.5),
  epsilon: (r, e) => wake.dissipationRate(r('ds_dz'), e('shear_enhancement'), 0.1),
  epsilon_star: (r, e) =>
    wake.normalisedDissipation(
      e('epsilon'),
      r('wingspan'),
      r('true_airspeed'),
      r('aircraft_mass'),
      e('rho_air'),
    ),
  dz_max: descent,
  width: (r) => wake.initialWidthM(r('wingspan')),
  depth: (r, e) => 0.5 * descent(r, e),
});

unitTable('initial-ice.json', {
  q_sat: (r) => saturationHumidityIce(r('T'), r('p')),
  q_exhaust: (r) =>
    ice.exhaustHumidity(r('fuel_dist'), EI_H2O, r('width'), r('depth'), airDensity(r('T'), r('p'))),
  iwc: (r, e) => ice.initialIceWaterContent(e('q_exhaust'), r('q'), e('q_sat')),
  T_adiabatic: (r) => ice.adiabaticTemperatureK(r('T'), r('p'), r('p_1')),
  iwc_ad: (r) => ice.adiabaticIceLoss(r('T'), r('p'), r('p_1')),
  iwc_1: (_, e) => Math.max(e('iwc') - e('iwc_ad'), 0),
  f_activation: (r) => ice.activatedShare(r('T'), r('T_critical_sac')),
  n_ice_per_m_0: (r) =>
    r('fuel_dist') * Math.max(r('nvpm_ei_n') * ice.activatedShare(r('T'), r('T_critical_sac')), 1e13),
  f_surv: (_, e) => ice.iceSurvival(e('iwc'), e('iwc_1')),
  n_ice_per_m_1: (_, e) => e('n_ice_per_m_0') * e('f_surv'),
  persistent_1: (r, e) => Number(ice.isInitiallyPersistent(e('iwc_1'), r('rhi_1'))),
});

unitTable('plume-properties.json', {
  area_eff: (r) => plume.effectiveAreaM2(r('width'), r('depth'), r('sigma_yz')),
  depth_eff: (r, e) => e('area_eff') / r('width'),
  n_ice_per_vol: (r, e) => r('n_ice_per_m') / e('area_eff'),
  plume_mass_per_m: (r, e) => e('area_eff') * r('rho_air'),
  r_ice_vol: (r, e) => plume.volumeMeanRadiusM(r('iwc'), e('n_ice_per_vol') / r('rho_air')),
  phase_delay: (_, e) => plume.phaseDelay(e('r_ice_vol')),
  q_ext: (_, e) => plume.extinctionEfficiency(e('phase_delay')),
  tau_contrail: (r, e) => plume.opticalDepth(e('r_ice_vol'), r('n_ice_per_m'), r('width')),
  ice_particle_mass: (_, e) => plume.particleMassKg(e('r_ice_vol')),
  terminal_fall_speed: (r, e) => plume.terminalFallSpeed(e('r_ice_vol'), r('p'), r('T')),
  shear_enhancement: (r) => windShearEnhancement(r('depth'), 2000, 0.5),
  diffuse_h: (r, e) => plume.horizontalDiffusivity(r('ds_dz') * e('shear_enhancement'), r('depth')),
  diffuse_v: (r, e) =>
    plume.verticalDiffusivity(
      bruntVaisala(r('T'), r('p'), r('dT_dz')),
      e('terminal_fall_speed'),
      e('depth_eff'),
      0.1,
      0.5,
    ),
  dn_dt_agg: (_, e) => plume.aggregationLoss(e('r_ice_vol'), e('terminal_fall_speed'), e('area_eff')),
  dn_dt_turb: (r, e) =>
    plume.turbulentLoss(e('diffuse_h'), e('diffuse_v'), r('width'), r('depth'), e('depth_eff')),
});

const forcingPoint = (r: UnitRow): forcing.ForcingPoint => ({
  radiusUm: r('r_vol_um'),
  temperatureK: r('T'),
  opticalDepth: r('tau_contrail'),
  cirrusOpticalDepth: r('tau_cirrus'),
  olr: r('olr'),
  rsr: r('rsr'),
  sdr: r('sdr'),
  solarConstant: r('sd0'),
});
const radius = (habit: number) => (r: UnitRow) => effectiveRadiusUm(habit, r('r_vol_um'));
const single =
  (model: forcing.ForcingModel, part: keyof forcing.Forcing) =>
  (r: UnitRow): number => {
    const out = { longwave: Number.NaN, shortwave: Number.NaN };
    forcing.weightedForcingSingleInto(out, forcingPoint(r), model);
    return out[part];
  };
const double =
  (model: forcing.ForcingModel, part: keyof forcing.Forcing) =>
  (r: UnitRow): number => {
    const out = { longwave: Number.NaN, shortwave: Number.NaN };
    forcing.weightedForcingInto(out, forcingPoint(r), model);
    return out[part];
  };

unitTable('radiative-forcing.json', {
  regime: (r) => habitRegime(r('r_vol_um')),
  r_eff_sphere: radius(0),
  r_eff_solid_column: radius(1),
  r_eff_hollow_column: radius(2),
  r_eff_rough_aggregate: radius(3),
  r_eff_rosette6: radius(4),
  r_eff_plate: radius(5),
  r_eff_droxtal: radius(6),
  r_eff_myhre: radius(7),
  rf_lw: single(forcing.FORCING_2012, 'longwave'),
  rf_sw: single(forcing.FORCING_2012, 'shortwave'),
  rf_lw_double: double(forcing.FORCING_2012, 'longwave'),
  rf_sw_double: double(forcing.FORCING_2012, 'shortwave'),
  rf_lw_s2025: single(FORCING_2025, 'longwave'),
  rf_sw_s2025: single(FORCING_2025, 'shortwave'),
  rf_lw_s2025_double: double(FORCING_2025, 'longwave'),
  rf_sw_s2025_double: double(FORCING_2025, 'shortwave'),
  albedo: (r) => forcing.effectiveAlbedo(forcingPoint(r)),
  rf_net: (_, e) => forcing.netForcing(e('rf_lw'), e('rf_sw'), 1, 1, true),
});

const heatingPoint = (r: UnitRow): forcing.ForcingPoint => ({
  radiusUm: 1e6 * r('r_ice_vol'),
  temperatureK: r('T'),
  opticalDepth: r('tau_contrail'),
  cirrusOpticalDepth: r('tau_cirrus'),
  olr: r('olr'),
  rsr: r('rsr'),
  sdr: r('sdr'),
  solarConstant: r('sd0'),
});
const heatCapacity = (r: UnitRow) => heating.plumeHeatCapacity(r('depth_eff'), r('rho_air'));

/** The table was made with one fall speed for all rows [m s⁻¹]. */
const TABLE_FALL_SPEED = 0.02;

unitTable('radiative-heating.json', {
  heat_rate: (r) => heating.heatingRate(heatingPoint(r), r('rhi'), heatCapacity(r)),
  d_heat_rate: (r) => heating.differentialHeatingRate(heatingPoint(r), r('rhi'), heatCapacity(r)),
  effective_heat_rate: (r, e) =>
    e('d_heat_rate') * heating.convectiveShare(r('cumul_differential_heat'), r('dT_dz'), r('depth')),
  convective_velocity: (r, e) => heating.convectiveVelocity(e('effective_heat_rate'), r('depth_eff'), r('T')),
  diffuse_v: (r, e) =>
    plume.verticalDiffusivity(
      bruntVaisala(r('T'), r('p'), r('dT_dz')),
      TABLE_FALL_SPEED,
      r('depth_eff'),
      Math.max(e('convective_velocity'), 0.1),
      0.5,
    ),
});

const evolved = (r: UnitRow, e: UnitRow) => {
  const zz = r('depth_1') ** 2 / 8;
  return {
    yy: r('width_1') ** 2 / 8,
    zz,
    ratio: e('seg_ratio'),
    dv: evolution.depthLimitedDiffusivity(r('diffuse_v_1'), zz, r('dt'), 1500),
  };
};

unitTable('plume-evolution.json', {
  seg_ratio: (r) => evolution.stretchingRatio(r('segment_length_1'), r('segment_length_2')),
  sigma_yy_2: (r, e) => {
    const { yy, zz, ratio, dv } = evolved(r, e);
    return evolution.horizontalVariance(
      yy,
      zz,
      r('sigma_yz_1'),
      r('dsn_dz_1'),
      r('diffuse_h_1'),
      dv,
      r('dt'),
      ratio,
    );
  },
  sigma_zz_2: (r, e) => evolution.verticalVariance(evolved(r, e).zz, evolved(r, e).dv, r('dt')),
  sigma_yz_2: (r, e) => {
    const { zz, ratio, dv } = evolved(r, e);
    return evolution.covariance(zz, r('sigma_yz_1'), r('dsn_dz_1'), dv, r('dt'), ratio);
  },
  width_2: (_, e) => Math.sqrt(8 * e('sigma_yy_2')),
  depth_2: (_, e) => Math.sqrt(8 * e('sigma_zz_2')),
  area_eff_2: (_, e) => plume.effectiveAreaM2(e('width_2'), e('depth_2'), e('sigma_yz_2')),
  iwc_2: (r) =>
    evolution.mixedIceWaterContent(
      r('iwc_1'),
      r('plume_mass_per_m_1'),
      r('plume_mass_per_m_2'),
      r('q_1'),
      r('q_2'),
      r('q_sat_1'),
      r('q_sat_2'),
    ),
  iwc_2_revised: (r) =>
    sedimentedIceWaterContent(
      r('iwc_1'),
      r('plume_mass_per_m_1'),
      r('plume_mass_per_m_sed'),
      r('plume_mass_per_m_2'),
      r('q_1'),
      r('q_sed'),
      r('q_2'),
      r('q_sat_1'),
      r('q_sat_sed'),
      r('q_sat_2'),
      r('depth_eff_1'),
      r('terminal_fall_speed_1'),
      r('phase_relax_rate_1'),
      r('dt'),
    ),
  n_ice_per_m_2: (r, e) =>
    evolution.particlesPerM(r('n_ice_per_m_1'), r('dn_dt_agg_1'), r('dn_dt_turb_1'), r('dt'), e('seg_ratio')),
  energy_forcing: (r, e) =>
    evolution.energyForcingJ(
      r('width_1'),
      e('width_2'),
      r('rf_net_1'),
      r('rf_net_2'),
      r('dt'),
      r('segment_length_2'),
    ),
});

const fuelPerM = (r: UnitRow) => r('fuel_flow') / r('true_airspeed');

unitTable('unterstrasser.json', {
  plume_area: (r) => survival.plumeAreaM2(r('wingspan')),
  rho_emit: (r) => survival.emittedWaterDensity(fuelPerM(r), EI_H2O, r('wingspan')),
  z_atm: (r) => survival.ambientLengthM(r('T'), r('rhi_0')),
  z_emit: (r, e) => survival.emissionLengthM(r('T'), e('rho_emit')),
  z_total: (r, e) =>
    survival.survivalLengthM(e('z_atm'), e('z_emit'), r('z_desc'), fuelPerM(r), r('aei'), r('wingspan')),
  f_surv: (_, e) => survival.survivalFromLength(e('z_total')),
});

unitTable('persistence.json', {
  persistent: (r) =>
    Number(
      isPersistent(
        DEFAULT_COCIP_PARAMS,
        r('age'),
        r('tau_contrail'),
        r('n_ice_per_vol'),
        r('altitude'),
        r('segment_length'),
        r('latitude'),
      ),
    ),
});
