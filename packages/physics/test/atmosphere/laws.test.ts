import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as physics from '../support/physics.ts';

const temperature = fc.double({ min: 150, max: 330, noNaN: true });
const pressure = fc.double({ min: 1000, max: 105_000, noNaN: true });
const humidity = fc.double({ min: 1e-12, max: 0.02, noNaN: true });
const longitude = fc.double({ min: -180, max: 180, noNaN: true });
const latitude = fc.double({ min: -90, max: 90, noNaN: true });
const wind = fc.double({ min: -100, max: 100, noNaN: true });

function expectClose(actual: number, expected: number, relative: number, absolute = 0): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(relative * Math.abs(expected) + absolute);
}

/** Distance on the sphere that does not care how longitudes are written. */
function apartM(lon0: number, lat0: number, lon1: number, lat1: number): number {
  return physics.haversineM(lon0, lat0, lon1, lat1);
}

describe('saturation pressure', () => {
  test.each([
    ['over ice', physics.saturationPressureIce],
    ['over liquid', physics.saturationPressureLiquid],
    ['over ice, tabulated', physics.tabulatedSaturationIce],
    ['over liquid, tabulated', physics.tabulatedSaturationLiquid],
  ])('%s grows with temperature', (_, saturation) => {
    fc.assert(
      fc.property(temperature, fc.double({ min: 1e-5, max: 10, noNaN: true }), (T, dT) => {
        expect(saturation(T + dT)).toBeGreaterThan(saturation(T));
      }),
    );
  });

  test('over ice lies below that over liquid under 0 °C', () => {
    fc.assert(
      fc.property(fc.double({ min: 150, max: 273, noNaN: true }), (T) => {
        expect(physics.saturationPressureIce(T)).toBeLessThan(physics.saturationPressureLiquid(T));
      }),
    );
  });

  test.each([
    ['liquid', physics.saturationPressureLiquid, physics.saturationPressureLiquidSlope],
    ['Sonntag liquid', physics.saturationPressureLiquidSonntag, physics.saturationPressureLiquidSonntagSlope],
  ])('the slope over %s is the derivative', (_, saturation, slope) => {
    fc.assert(
      fc.property(temperature, (T) => {
        const h = 1e-3;
        expectClose((saturation(T + h) - saturation(T - h)) / (2 * h), slope(T), 1e-6);
      }),
    );
  });

  test.each([
    ['ice', physics.tabulatedSaturationIce, physics.saturationPressureIce],
    ['liquid', physics.tabulatedSaturationLiquid, physics.saturationPressureLiquid],
    ['rhi factor', physics.tabulatedRhiFactor, physics.rhiFactor],
    ['rh factor', physics.tabulatedRhFactor, physics.rhFactor],
  ])('the table of %s agrees with the formula to 3e-10, beyond its ends exactly', (_, tabulated, exact) => {
    let worst = 0;
    for (let T = 180; T < 320; T += 1 / 4096) {
      worst = Math.max(worst, Math.abs(tabulated(T) / exact(T) - 1));
    }
    expect(worst).toBeLessThan(3e-10);
    for (const T of [120, 179.999, 320, 400, Number.NaN]) expect(tabulated(T)).toBe(exact(T));
  });
});

describe('inverses', () => {
  test('level and altitude are inverse', () => {
    fc.assert(
      fc.property(fc.double({ min: -1000, max: 40_000, noNaN: true }), (altitudeM) => {
        expectClose(
          physics.altitudeMFromLevel(physics.levelFromAltitudeM(altitudeM)),
          altitudeM,
          1e-11,
          1e-8,
        );
      }),
    );
  });

  test('level falls as altitude rises, across the tropopause too', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1000, max: 40_000, noNaN: true }),
        fc.double({ min: 1e-3, max: 1000, noNaN: true }),
        (altitudeM, riseM) => {
          expect(physics.levelFromAltitudeM(altitudeM + riseM)).toBeLessThan(
            physics.levelFromAltitudeM(altitudeM),
          );
        },
      ),
    );
  });

  test('specific and relative humidity are inverse', () => {
    fc.assert(
      fc.property(humidity, temperature, pressure, (q, T, p) => {
        const rhi = physics.relativeHumidityIce(q, T, p);
        const rh = physics.relativeHumidityLiquid(q, T, p);
        expectClose(physics.specificHumidityFromRhIce(rhi, T, p), q, 1e-14);
        expectClose(physics.specificHumidityFromRhLiquid(rh, T, p), q, 1e-14);
      }),
    );
  });

  test('airspeed and Mach number are inverse', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 400, noNaN: true }), temperature, (speed, T) => {
        expectClose(physics.airspeedFromMach(physics.machFromAirspeed(speed, T), T), speed, 1e-14);
      }),
    );
  });

  test('degrees and metres are inverse', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-9, max: 5, noNaN: true }),
        fc.double({ min: -89, max: 89, noNaN: true }),
        (d, lat) => {
          expectClose(physics.metresToLongitude(physics.longitudeToMetres(d, lat), lat), d, 1e-13);
          expectClose(physics.metresToLatitude(physics.latitudeToMetres(d)), d, 1e-13);
        },
      ),
    );
  });
});

describe('the sphere', () => {
  test('distance is symmetric and blind to whole turns of longitude', () => {
    fc.assert(
      fc.property(longitude, latitude, longitude, latitude, (lon0, lat0, lon1, lat1) => {
        const distance = physics.haversineM(lon0, lat0, lon1, lat1);
        expectClose(physics.haversineM(lon1, lat1, lon0, lat0), distance, 1e-12, 1e-6);
        expectClose(physics.haversineM(lon0 + 360, lat0, lon1, lat1), distance, 1e-7, 0.2);
      }),
    );
  });

  test('the pole is one point', () => {
    fc.assert(
      fc.property(longitude, longitude, fc.constantFrom(-90, 90), (lon0, lon1, lat) => {
        expect(physics.haversineM(lon0, lat, lon1, lat)).toBeLessThan(1e-6);
      }),
    );
  });

  test('antipodes are half the circumference apart', () => {
    fc.assert(
      fc.property(longitude, latitude, (lon, lat) => {
        expectClose(physics.haversineM(lon, lat, lon + 180, -lat), Math.PI * physics.EARTH_RADIUS_M, 1e-7);
      }),
    );
  });

  test('the destination along the azimuth between two points is the second point', () => {
    fc.assert(
      fc.property(
        longitude,
        fc.double({ min: -89.9, max: 89.9, noNaN: true }),
        longitude,
        fc.double({ min: -89.9, max: 89.9, noNaN: true }),
        (lon0, lat0, lon1, lat1) => {
          const distance = physics.haversineM(lon0, lat0, lon1, lat1);
          fc.pre(distance < 1.9e7);
          const azimuth = physics.initialAzimuthDeg(lon0, lat0, lon1, lat1);
          const lon = physics.destinationLongitude(lon0, lat0, azimuth, distance);
          const lat = physics.destinationLatitude(lat0, azimuth, distance);
          expect(apartM(lon, lat, lon1, lat1)).toBeLessThan(0.5);
          expect(lon).toBeGreaterThanOrEqual(-180);
          expect(lon).toBeLessThan(180);
        },
      ),
    );
  });

  test('the segment direction is the azimuth counted from east', () => {
    fc.assert(
      fc.property(
        longitude,
        latitude,
        longitude,
        fc.double({ min: -89, max: 89, noNaN: true }),
        (lon0, lat0, lon1, lat1) => {
          const azimuth = physics.degreesToRadians(physics.initialAzimuthDeg(lon0, lat0, lon1, lat1));
          fc.pre(physics.haversineM(lon0, lat0, lon1, lat1) > 1e-6);
          expectClose(physics.segmentSinA(lon0, lat0, lon1, lat1), Math.cos(azimuth), 0, 1e-9);
          expectClose(physics.segmentCosA(lon0, lat0, lon1, lat1), Math.sin(azimuth), 0, 1e-9);
        },
      ),
    );
  });

  test('a segment without length has no direction', () => {
    expect(physics.segmentSinA(10, 20, 10, 20)).toBeNaN();
    expect(physics.segmentCosA(0, 0, 0, 0)).toBeNaN();
    expect(physics.segmentSinA(0, 0, 0, 1e-300)).toBeNaN();
  });

  test('cells of one degree cover the Earth', () => {
    let area = 0;
    for (let lat = -89; lat <= 90; lat++) area += 360 * physics.cellAreaM2(lat, 1, 1);
    expectClose(area, 4 * Math.PI * physics.EARTH_RADIUS_M ** 2, 1e-12);
  });
});

describe('advection', () => {
  test('is blind to the way a longitude is written', () => {
    fc.assert(
      fc.property(latitude, wind, wind, (lat, u, v) => {
        const east = physics.advectLongitude(180, lat, u, v, 1800);
        const west = physics.advectLongitude(-180, lat, u, v, 1800);
        const newLat = physics.advectLatitude(180, lat, u, v, 1800);
        expectClose(physics.advectLatitude(-180, lat, u, v, 1800), newLat, 1e-12, 1e-12);
        fc.pre(Math.abs(newLat) < 89.999);
        expect(apartM(east, newLat, west, newLat)).toBeLessThan(0.01);
      }),
    );
  });

  test('moves a point by the wind times the time, at all latitudes', () => {
    fc.assert(
      fc.property(
        longitude,
        fc.double({ min: -89.9, max: 89.9, noNaN: true }),
        wind,
        wind,
        (lon, lat, u, v) => {
          const lonNew = physics.advectLongitude(lon, lat, u, v, 60);
          const latNew = physics.advectLatitude(lon, lat, u, v, 60);
          expectClose(apartM(lon, lat, lonNew, latNew), 60 * Math.hypot(u, v), 0.02, 0.2);
          expect(Math.abs(latNew)).toBeLessThanOrEqual(90);
        },
      ),
    );
  });

  test('calm air leaves a point where it is', () => {
    fc.assert(
      fc.property(longitude, latitude, (lon, lat) => {
        expectClose(physics.advectLongitude(lon, lat, 0, 0, 3600), lon === 180 ? -180 : lon, 1e-14);
        expectClose(physics.advectLatitude(lon, lat, 0, 0, 3600), lat, 1e-12, 1e-12);
      }),
    );
  });

  test('crosses the pole', () => {
    expect(physics.advectLatitude(0, 89.99, 0, 50, 3600)).toBeCloseTo(
      89.99 - physics.metresToLatitude(180_000) + 0.02,
      9,
    );
    expect(Math.abs(physics.advectLongitude(0, 89.99, 0, 50, 3600))).toBeCloseTo(180, 6);
  });

  test.each([
    [Number.NaN, 50, 1, 1],
    [10, Number.NaN, 1, 1],
    [10, 50, Number.NaN, 1],
    [10, 85, 1, Number.NaN],
  ])('of an unknown (%d, %d, %d, %d) is unknown', (lon, lat, u, v) => {
    const moved = [physics.advectLongitude(lon, lat, u, v, 60), physics.advectLatitude(lon, lat, u, v, 60)];
    expect(moved.some(Number.isNaN)).toBe(true);
  });
});

describe('points are independent', () => {
  test('reversing the order of points reverses the results and changes nothing else', () => {
    const point = fc.record({ q: humidity, T: temperature, p: pressure, lat: latitude });
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 40 }), (points) => {
        const forward = chain(points);
        const backward = chain(points.toReversed());
        for (const [name, column] of Object.entries(backward)) {
          expect(column.toReversed(), name).toEqual(forward[name]);
        }
      }),
    );
  });

  function chain(
    points: readonly { q: number; T: number; p: number; lat: number }[],
  ): Record<string, Float64Array> {
    const q = Float64Array.from(points, (point) => point.q);
    const T = Float64Array.from(points, (point) => point.T);
    const p = Float64Array.from(points, (point) => point.p);
    const rhi = new Float64Array(points.length);
    const sac = new Float64Array(points.length);
    const issr = new Float64Array(points.length);
    const scaling = physics.latitudeBoostHumidityScaling();
    scaling.scaleInto(
      q,
      rhi,
      q,
      T,
      p,
      Float64Array.from(points, (point) => point.lat),
    );
    physics.issrInto(issr, rhi, T);
    const { eiH2o, qFuelJKg } = physics.JET_A1;
    physics.sacInto(
      { sac },
      { specificHumidity: q, temperatureK: T, pressurePa: p, engineEfficiency: 0.3, eiH2o, qFuelJKg },
      'grid',
    );
    return {
      q,
      rhi,
      issr,
      sac,
      pcr: physics.pcrInto(new Float64Array(points.length), issr, sac) as Float64Array,
    };
  }
});
