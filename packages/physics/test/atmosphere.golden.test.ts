import * as physics from '../src/index.ts';
import { type GoldenCsv, goldenCsv, goldenJson, numbers, printWorstDeviations } from './support/golden.ts';

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

goldenCsv('model_level_pressure.csv', (golden) => {
  const surface = golden.input('surface_pressure_pa');
  const level = golden.input('model_level');
  golden.check('pressure_hpa', (i) => physics.modelLevelHpa(level(i), surface(i)));
});

goldenCsv('humidity_level_stretch.csv', (golden) => {
  const level = golden.input('level_hpa');
  golden.check('stretched', (i) => physics.stretchLevel(level(i)));
});

/** Runs a scaling over the columns of a file; the answer is read by row. */
function scaled(golden: GoldenCsv, scaling: physics.HumidityScaling, latitude?: Float64Array) {
  const q = golden.column('specific_humidity');
  const rhi = new Float64Array(golden.rowCount);
  scaling.scaleInto(
    q,
    rhi,
    q,
    golden.column('temperature_k'),
    golden.column('pressure_pa'),
    latitude ?? new Float64Array(golden.rowCount),
  );
  return { q: (i: number) => q[i] as number, rhi: (i: number) => rhi[i] as number };
}

for (const rhiAdj of [0.97, 0.9]) {
  goldenCsv(`humidity_constant_${String(rhiAdj).replace('.', '_')}.csv`, (golden) => {
    const { q, rhi } = scaled(golden, physics.constantHumidityScaling({ rhiAdj }));
    golden.check('rhi_adj', () => rhiAdj);
    golden.check('scaled_specific_humidity', q);
    golden.check('scaled_rhi', rhi);
  });
}

goldenCsv('humidity_exponential_boost.csv', (golden) => {
  const { q, rhi } = scaled(golden, physics.exponentialBoostHumidityScaling());
  golden.check('rhi_adj', () => physics.DEFAULT_EXPONENTIAL_BOOST_PARAMS.rhiAdj);
  golden.check('rhi_boost_exponent', () => physics.DEFAULT_EXPONENTIAL_BOOST_PARAMS.rhiBoostExponent);
  golden.check('clip_upper', () => physics.DEFAULT_EXPONENTIAL_BOOST_PARAMS.clipUpper);
  golden.check('scaled_specific_humidity', q);
  golden.check('scaled_rhi', rhi);
});

for (const [file, levelType, qMethod] of [
  ['humidity_latitude_boost_pressure_linear.csv', 'pressure', 'none'],
  ['humidity_latitude_boost_pressure_cubic_spline.csv', 'pressure', 'cubic-spline'],
  ['humidity_latitude_boost_model_linear.csv', 'model', 'none'],
] as const) {
  goldenCsv(file, (golden) => {
    const temperature = golden.input('temperature_k');
    const { q, rhi } = scaled(
      golden,
      physics.latitudeBoostHumidityScaling({ levelType, qMethod }),
      golden.column('latitude_deg'),
    );
    golden.check('rhi_max', (i) => physics.highestRhi(temperature(i)));
    golden.check('scaled_specific_humidity', q);
    golden.check('scaled_rhi', rhi);
  });
}

goldenCsv('humidity_by_level.csv', (golden) => {
  const { q, rhi } = scaled(golden, physics.humidityScalingByLevel());
  golden.check('scaled_specific_humidity', q);
  golden.check('scaled_rhi', rhi);
});

goldenCsv('humidity_histogram_matching.csv', (golden) => {
  for (const levelType of ['pressure', 'model'] as const) {
    const { q, rhi } = scaled(golden, physics.histogramMatching({ levelType }));
    golden.check(`scaled_rhi_${levelType}_linear_q`, rhi);
    golden.check(`scaled_specific_humidity_${levelType}_linear_q`, q);
    const cubic = scaled(golden, physics.histogramMatching({ levelType, qMethod: 'cubic-spline' }));
    golden.check(`scaled_rhi_${levelType}_cubic_spline`, cubic.rhi);
    const logarithmic = scaled(golden, physics.histogramMatching({ levelType, qMethod: 'log-q-log-p' }));
    golden.check(`scaled_rhi_${levelType}_log_q_log_p`, logarithmic.rhi);
  }
  const member = scaled(golden, physics.histogramMatching({ productType: 'ensemble_members', member: 3 }));
  golden.check('scaled_rhi_member3_linear_q', member.rhi);
});

goldenCsv('humidity_eckel.csv', (golden) => {
  const members = Array.from({ length: 10 }, (_, m) => golden.input(`rhi_member${m}`));
  for (const [column, qMethod] of [
    ['linear_q', 'none'],
    ['cubic_spline', 'cubic-spline'],
    ['log_q_log_p', 'log-q-log-p'],
  ] as const) {
    const matched = (i: number, m: number) =>
      physics.histogramMatchedRhi(
        members[m]?.(i) ?? Number.NaN,
        physics.quantileMap({ productType: 'ensemble_members', member: m, qMethod }),
      );
    const mean = (i: number) => members.reduce((sum, _, m) => sum + matched(i, m), 0) / members.length;
    golden.check(`mean_rhi_${column}`, mean);
    golden.check(`member4_rhi_${column}`, (i) => matched(i, 4));
    golden.check(`eckel_rhi_${column}`, (i) => physics.eckelRhi(matched(i, 4), mean(i), qMethod));
  }
});

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

interface RadiationCase {
  readonly name: string;
  readonly metadata: { readonly unit: string };
  readonly longitude_deg: number[];
  readonly latitude_deg: number[];
  readonly time: string[];
  readonly tsr: number[][][];
  readonly ttr: number[][][];
  readonly time_after_processing: string[];
  readonly points: { longitude_deg: number[]; latitude_deg: number[]; time: string[] };
  readonly expected: Record<'sdr_w_m2' | 'rsr_w_m2' | 'olr_w_m2', (number | null)[]>;
}

goldenJson<RadiationCase[]>('radiation.json', (golden, cases) => {
  const accumulations: Record<string, physics.RadiationAccumulation> = {
    era5_reanalysis_j: 'past-hour',
    era5_reanalysis_w: 'past-hour',
    era5_ensemble_j: 'past-three-hours',
    hres_accumulated_j: 'forecast-start',
  };
  for (const data of cases) {
    const accumulation = accumulations[data.name];
    if (accumulation === undefined) throw new Error(`radiation.json has an unknown case ${data.name}`);
    const stamps = Float64Array.from(data.time, (time) => Date.parse(time));
    const times = physics.radiationTimesMs(accumulation, stamps);
    golden.compareAll(
      `${data.name} time`,
      times,
      data.time_after_processing.map((time) => Date.parse(time)),
    );
    const field = (nested: number[][][]): physics.GriddedField => {
      const sums = Float64Array.from(nested.flat(2));
      const values =
        accumulation === 'forecast-start'
          ? physics.deaccumulateInto(
              new Float64Array((sums.length * times.length) / stamps.length),
              sums,
              stamps,
            )
          : sums;
      return {
        axes: [Float64Array.from(data.longitude_deg), Float64Array.from(data.latitude_deg), times],
        values,
      };
    };
    const perUnit = physics.fluxPerUnit(data.metadata.unit, accumulation);
    data.points.time.forEach((text, i) => {
      const lon = data.points.longitude_deg[i] as number;
      const lat = data.points.latitude_deg[i] as number;
      const time = Date.parse(text);
      const sdr = physics.solarDirectRadiation(lon, lat, time, 0.01);
      const flux = (nested: number[][][]) => perUnit * physics.interpolate(field(nested), [lon, lat, time]);
      const expected = (key: keyof RadiationCase['expected']) => data.expected[key][i] ?? Number.NaN;
      golden.compare(`${data.name} sdr[${i}]`, sdr, expected('sdr_w_m2'));
      golden.compare(
        `${data.name} rsr[${i}]`,
        physics.reflectedSolarRadiation(sdr, flux(data.tsr)),
        expected('rsr_w_m2'),
      );
      golden.compare(
        `${data.name} olr[${i}]`,
        physics.outgoingLongwaveRadiation(flux(data.ttr)),
        expected('olr_w_m2'),
      );
    });
  }
});

type Nested = (number | null | Nested)[];
type Expected = Record<string, (number | null)[]>;

interface InterpolationCase {
  readonly longitude_deg: number[];
  readonly latitude_deg: number[];
  readonly level_hpa: number[];
  readonly time: string[];
  readonly air_temperature: Nested;
  readonly specific_humidity: Nested;
  readonly hole: Nested;
  readonly rad: Nested;
  readonly points: Record<'longitude_deg' | 'latitude_deg' | 'level_hpa', (number | null)[]> & {
    readonly time: string[];
  };
  readonly expected: { not_wrapped: Expected; wrapped: Expected };
}

goldenJson<InterpolationCase>('interpolation.json', (golden, data) => {
  const times = Float64Array.from(data.time, (time) => Date.parse(time));
  const levels = Float64Array.from(data.level_hpa);
  const pointLon = numbers(data.points.longitude_deg);
  const pointLat = numbers(data.points.latitude_deg);
  const pointLevel = numbers(data.points.level_hpa);
  const pointTime = data.points.time.map(parseNanoseconds);
  const place = (i: number) => [pointLon[i] as number, pointLat[i] as number];
  const level = (i: number) => pointLevel[i] as number;
  const time = (i: number) => pointTime[i] as number;
  for (const wrapping of ['not_wrapped', 'wrapped'] as const) {
    const wrapped = wrapping === 'wrapped';
    // −180 … 120: a global field repeats its first meridian at 180.
    const lons = Float64Array.from(wrapped ? [...data.longitude_deg, 180] : data.longitude_deg);
    const field = (nested: Nested, hasLevels = true): physics.GriddedField => ({
      axes: [lons, Float64Array.from(data.latitude_deg), ...(hasLevels ? [levels] : []), times],
      values: numbers((wrapped ? [...nested, nested[0] ?? []] : nested).flat(4) as (number | null)[]),
    });
    const linear = (nested: Nested) => (i: number) =>
      physics.interpolate(field(nested), [...place(i), level(i), time(i)]);
    const humidity = (method: physics.QMethod) => {
      const prepared = physics.humidityField(field(data.specific_humidity), 2, method);
      return (i: number) => {
        const point = [...place(i), physics.humidityLevel(level(i), method), time(i)];
        return physics.humidityValue(physics.interpolate(prepared, point), method);
      };
    };
    const answers: Record<string, (i: number) => number> = {
      linear_air_temperature: linear(data.air_temperature),
      linear_hole: linear(data.hole),
      linear_specific_humidity: humidity('none'),
      single_level_rad: (i) => physics.interpolate(field(data.rad, false), [...place(i), time(i)]),
      log_q_log_p_specific_humidity: humidity('log-q-log-p'),
      cubic_spline_specific_humidity: humidity('cubic-spline'),
    };
    for (const [name, expected] of Object.entries(data.expected[wrapping])) {
      const answer = answers[name];
      if (answer === undefined) throw new Error(`interpolation.json expects an unknown ${name}`);
      golden.compareAll(
        `${wrapping} ${name}`,
        expected.map((_, i) => answer(i)),
        numbers(expected),
      );
    }
  }
});

/** Milliseconds of an ISO time with up to nine decimals; Date.parse drops all beyond the third. */
function parseNanoseconds(text: string): number {
  const [whole = '', fraction = '0'] = text.replace('Z', '').split('.');
  return Date.parse(`${whole}Z`) + Number(`0.${fraction}`) * 1000;
}
