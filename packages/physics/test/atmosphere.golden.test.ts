import * as physics from '../src/index.ts';
import { goldenCsv, printWorstDeviations } from './support/golden.ts';

printWorstDeviations();

goldenCsv('isa_from_altitude.csv', (golden) => {
  const altitudeM = golden.input('altitude_m');
  golden.check('altitude_ft', (i) => physics.metresToFeet(altitudeM(i)));
  golden.check('temperature_isa_k', (i) => physics.isaTemperatureK(altitudeM(i)));
  golden.check('pressure_hpa', (i) => physics.levelFromAltitudeM(altitudeM(i)));
});

goldenCsv('isa_from_pressure.csv', (golden) => {
  const level = golden.input('pressure_hpa');
  golden.check('altitude_m', (i) => physics.altitudeMFromLevel(level(i)), { absolute: 1e-8 });
  golden.check('altitude_ft', (i) => physics.altitudeFtFromLevel(level(i)), { absolute: 1e-8 });
});

goldenCsv('flight_level_pressure.csv', (golden) => {
  const altitudeFt = golden.input('altitude_ft');
  golden.check('pressure_hpa', (i) => physics.levelFromAltitudeFt(altitudeFt(i)));
});

goldenCsv('mach.csv', (golden) => {
  const airspeed = golden.input('true_airspeed_m_s');
  const temperature = golden.input('temperature_k');
  const mach = golden.input('mach');
  golden.check('mach', (i) => physics.machFromAirspeed(airspeed(i), temperature(i)));
  golden.check('true_airspeed_from_mach_m_s', (i) => physics.airspeedFromMach(mach(i), temperature(i)));
});

goldenCsv('sphere_segments.csv', (golden) => {
  const lon0 = golden.input('lon0_deg');
  const lat0 = golden.input('lat0_deg');
  const lon1 = golden.input('lon1_deg');
  const lat1 = golden.input('lat1_deg');
  golden.check('haversine_m', (i) => physics.haversineM(lon0(i), lat0(i), lon1(i), lat1(i)));
  golden.check('azimuth_deg', (i) => physics.initialAzimuthDeg(lon0(i), lat0(i), lon1(i), lat1(i)), {
    modulo360: true,
  });
  golden.check('sin_a', (i) => physics.segmentSinA(lon0(i), lat0(i), lon1(i), lat1(i)));
  golden.check('cos_a', (i) => physics.segmentCosA(lon0(i), lat0(i), lon1(i), lat1(i)));
});

goldenCsv('sphere_forward.csv', (golden) => {
  const lon = golden.input('lon_deg');
  const lat = golden.input('lat_deg');
  const azimuth = golden.input('azimuth_deg');
  const distance = golden.input('distance_m');
  golden.check('lon_end_deg', (i) => physics.destinationLongitude(lon(i), lat(i), azimuth(i), distance(i)));
  golden.check('lat_end_deg', (i) => physics.destinationLatitude(lat(i), azimuth(i), distance(i)));
  golden.check('direction_sin_a', (i) => physics.headingSinA(lat(i), azimuth(i)));
  golden.check('direction_cos_a', (i) => physics.headingCosA(lat(i), azimuth(i)));
});

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

goldenCsv('geodesic_points.csv', (golden) => {
  const lon0 = golden.input('lon0_deg');
  const lat0 = golden.input('lat0_deg');
  const lon1 = golden.input('lon1_deg');
  const lat1 = golden.input('lat1_deg');
  const count = golden.input('point_count');
  const index = golden.input('point_index');
  const points = (i: number) => {
    const lon = new Float64Array(count(i));
    const lat = new Float64Array(count(i));
    physics.geodesicInteriorPointsInto(lon, lat, lon0(i), lat0(i), lon1(i), lat1(i));
    return { lon: lon[index(i) - 1] as number, lat: lat[index(i) - 1] as number };
  };
  golden.check('lon_deg', (i) => points(i).lon);
  golden.check('lat_deg', (i) => points(i).lat);
  golden.check(
    'geodesic_length_m',
    (i) => physics.geodesicInverse(lon0(i), lat0(i), lon1(i), lat1(i)).distanceM,
  );
});
