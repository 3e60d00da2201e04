import { goldenCsv, printWorstDeviations } from '../support/golden.ts';
import * as physics from '../support/physics.ts';

printWorstDeviations();

goldenCsv('isa_from_altitude.csv', (golden) => {
  const altitudeM = golden.input('altitude_m');
  golden.check('altitude_ft', (i) => physics.metresToFeet(altitudeM(i)));
  golden.check('temperature_isa_k', (i) => physics.isaTemperatureK(altitudeM(i)));
  golden.check('pressure_hpa', (i) => physics.levelFromAltitudeM(altitudeM(i)));
});

goldenCsv('isa_from_pressure.csv', (golden) => {
  const level = golden.input('pressure_hpa');
  golden.check('altitude_m', (i) => physics.altitudeMFromLevel(level(i)));
  golden.check('altitude_ft', (i) => physics.altitudeFtFromLevel(level(i)));
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

goldenCsv('advection.csv', (golden) => {
  const lon = golden.input('lon_deg');
  const lat = golden.input('lat_deg');
  const u = golden.input('u_m_s');
  const v = golden.input('v_m_s');
  const dt = golden.input('dt_s');
  const level = golden.input('level_hpa');
  const omega = golden.input('omega_pa_s');
  const density = golden.input('density_kg_m3');
  const fallSpeed = golden.input('fall_speed_m_s');
  golden.check('lon_new_deg', (i) => physics.advectLongitude(lon(i), lat(i), u(i), v(i), dt(i)), {
    modulo360: true,
  });
  golden.check('lat_new_deg', (i) => physics.advectLatitude(lon(i), lat(i), u(i), v(i), dt(i)));
  golden.check('level_new_hpa', (i) =>
    physics.advectLevel(level(i), omega(i), density(i), fallSpeed(i), dt(i)),
  );
});

goldenCsv('solar_radiation.csv', (golden) => {
  const lon = golden.input('longitude_deg');
  const lat = golden.input('latitude_deg');
  const times = golden.text('time').map((time) => Date.parse(time));
  const time = (i: number) => times[i] ?? Number.NaN;
  const theta = (i: number) => physics.orbitalPosition(time(i));
  golden.check('days_since_2000', (i) => physics.daysSince2000(time(i)));
  golden.check('hours_of_day', (i) => physics.hoursOfDay(time(i)));
  golden.check('orbital_position_rad', theta);
  golden.check('solar_constant_w_m2', (i) => physics.solarIrradiance(theta(i)));
  golden.check('declination_deg', (i) => physics.solarDeclinationDeg(theta(i)));
  golden.check('hour_angle_deg', (i) =>
    physics.solarHourAngleDeg(lon(i), physics.hoursOfDay(time(i)), theta(i)),
  );
  golden.check('cos_zenith', (i) => physics.cosSolarZenith(lon(i), lat(i), time(i)));
  golden.check('solar_direct_threshold_0_w_m2', (i) => physics.solarDirectRadiation(lon(i), lat(i), time(i)));
  golden.check('solar_direct_threshold_0_01_w_m2', (i) =>
    physics.solarDirectRadiation(lon(i), lat(i), time(i), 0.01),
  );
});
