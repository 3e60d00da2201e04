/** Where the points go in a step, the segments between them, and how their cross-section spreads. */

import { ISA } from '../../atmosphere/isa.ts';
import {
  EARTH_RADIUS_M,
  GRAVITY_M_S2,
  LAPSE_RATE_K_M,
  SEA_LEVEL_TEMPERATURE_K,
  SURFACE_PRESSURE_PA,
  TROPOPAUSE_M,
} from '../../constants.ts';
import type { LoopBody, Vector, VectorMath } from '../../vector/expression.ts';
import type { TableColumn } from '../plumes.ts';
import { parameter } from './parameters.ts';

const DEGREES = 180 / Math.PI;
/** Series of arcsin √h / √h in h. */
const ARC_SERIES = arcsineSeries(12);
/** Beyond this haversine an angle is halved until the series serves. */
const SMALL_HAVERSINE = 1e-3;
const HALVINGS = 3;

/** Advection by the wind at the start of the step, and sedimentation. Points near the poles are moved elsewhere. */
export const move: LoopBody<TableColumn> = (loop, m) => {
  const toMs = parameter(loop, 'toMs');
  const dtS = m.div(m.sub(toMs, loop.load('timeMs')), 1000);
  const latitude = loop.load('latitude');
  const east = m.mul(loop.load('u'), dtS);
  const north = m.mul(loop.load('v'), dtS);
  const circle = m.mul(EARTH_RADIUS_M, m.sineAndCosine(m.radians(latitude)).cosine);
  const longitude = m.add(loop.load('longitude'), m.mul(m.div(east, circle), DEGREES));
  const movedLatitude = m.add(latitude, m.mul(m.div(north, EARTH_RADIUS_M), DEGREES));
  const sinking = m.mul(loop.load('density'), loop.load('fallSpeed'), GRAVITY_M_S2);
  const level = m.div(
    m.add(m.mul(100, loop.load('level')), m.mul(dtS, m.add(loop.load('omega'), sinking))),
    100,
  );
  const pressure = m.mul(100, level);
  const lnPressure = m.log(pressure);
  const moved = m.sineAndCosine(m.radians(movedLatitude));
  loop.store('dtS', dtS);
  loop.store('lengthBefore', loop.load('length'));
  loop.store('longitude', wrapped(m, longitude));
  loop.store('latitude', movedLatitude);
  loop.store('sineOfLatitude', moved.sine);
  loop.store('cosineOfLatitude', moved.cosine);
  loop.store('level', level);
  loop.store('pressure', pressure);
  loop.store('lnPressure', lnPressure);
  loop.store('altitude', altitude(m, pressure, lnPressure));
  loop.store('timeMs', toMs);
  loop.store('age', m.div(m.sub(toMs, loop.load('formationTimeMs')), 1000));
};

/** A longitude that has left [−180, 180) by less than a turn. */
function wrapped(m: VectorMath, longitude: Vector): Vector {
  const fromEast = m.select(m.isLess(longitude, 180), longitude, m.sub(longitude, 360));
  return m.select(m.isLess(longitude, -180), m.add(longitude, 360), fromEast);
}

/** Pressure altitude [m]. */
export function altitude(m: VectorMath, pressure: Vector, lnPressure: Vector): Vector {
  const lnRatio = m.sub(lnPressure, Math.log(ISA.tropopausePressurePa));
  const stratosphere = m.add(m.div(lnRatio, ISA.stratosphereDecayPerM), TROPOPAUSE_M);
  const ratio = m.exp(m.mul(1 / ISA.pressureExponent, m.sub(lnPressure, Math.log(SURFACE_PRESSURE_PA))));
  const troposphere = m.div(
    m.sub(m.mul(SEA_LEVEL_TEMPERATURE_K, ratio), SEA_LEVEL_TEMPERATURE_K),
    LAPSE_RATE_K_M,
  );
  return m.select(m.isLess(pressure, ISA.tropopausePressurePa), stratosphere, troposphere);
}

/** Length and direction of the segment to the next row, 0 where that is not the next waypoint of the flight. */
export const measureChain: LoopBody<TableColumn> = (loop, m) => {
  const chained = m.both(
    m.isEqual(loop.load('flight'), loop.load('flight', 1)),
    m.isEqual(m.sub(loop.load('waypoint', 1), loop.load('waypoint')), 1),
  );
  const halfLongitude = m.mul(m.sub(loop.load('longitude', 1), loop.load('longitude')), Math.PI / 360);
  const halfLatitude = m.mul(m.sub(loop.load('latitude', 1), loop.load('latitude')), Math.PI / 360);
  const lon = m.sineAndCosine(halfLongitude);
  const lat = m.sineAndCosine(halfLatitude);
  const cosine1 = loop.load('cosineOfLatitude', 1);
  const haversine = m.atMost(
    m.add(m.square(lat.sine), m.mul(loop.load('cosineOfLatitude'), cosine1, m.square(lon.sine))),
    1,
  );
  const reduced = loop.variable(haversine);
  const times = loop.variable(2 * EARTH_RADIUS_M);
  const isLong = m.isAtMost(SMALL_HAVERSINE, haversine);
  loop.whereAny(isLong, () => {
    let h = haversine;
    for (let k = 0; k < HALVINGS; k++) {
      h = m.div(h, m.mul(2, m.add(1, m.sqrt(m.sub(1, h)))));
    }
    loop.assign(reduced, m.select(isLong, h, haversine));
    loop.assign(times, m.select(isLong, 2 * EARTH_RADIUS_M * 2 ** HALVINGS, 2 * EARTH_RADIUS_M));
  });
  const h = loop.read(reduced);
  const ground = m.mul(loop.read(times), m.sqrt(h), m.polynomial(h, ARC_SERIES));
  const climb = m.sub(loop.load('altitude', 1), loop.load('altitude'));
  const length = m.sqrt(m.add(m.square(ground), m.square(climb)));
  // cos φ₀ tan φ₁ − sin φ₀ cos Δλ without the difference of two nearly equal terms.
  const x = m.mul(2, lon.sine, lon.cosine);
  const y = m.mul(
    2,
    m.add(
      m.div(m.mul(lat.sine, lat.cosine), cosine1),
      m.mul(loop.load('sineOfLatitude'), m.square(lon.sine)),
    ),
  );
  // Without length there is no direction; rounding of y would invent one.
  const hasLength = m.both(chained, m.isLess(0, haversine));
  const magnitude = m.sqrt(m.add(m.square(x), m.square(y)));
  loop.store('length', m.zeroForNaN(m.only(chained, length)));
  loop.store('sinA', m.zeroForNaN(m.only(hasLength, m.div(y, magnitude))));
  loop.store('cosA', m.zeroForNaN(m.only(hasLength, m.div(x, magnitude))));
};

function arcsineSeries(terms: number): number[] {
  const coefficients = [1];
  let binomial = 1;
  for (let n = 1; n < terms; n++) {
    binomial *= (2 * n - 1) / (2 * n);
    coefficients.push(binomial / (2 * n + 1));
  }
  return coefficients;
}

/** Cross-section and particle number at the end of the step, from the coefficients at its start. */
export const disperse: LoopBody<TableColumn> = (loop, m) => {
  const dtS = loop.load('dtS');
  const width = loop.load('width');
  const depth = loop.load('depth');
  const sigmaYz = loop.load('sigmaYz');
  const normalShear = loop.load('normalShear');
  const before = loop.load('lengthBefore');
  const after = loop.load('length');
  const comparable = m.both(m.isLess(0, after), m.isLess(before, Number.POSITIVE_INFINITY));
  const ratio = m.select(comparable, m.div(before, after), 1);
  const sigmaYy = m.div(m.square(width), 8);
  const sigmaZz = m.div(m.square(depth), 8);
  const deepest = m.div(m.sub(m.div(m.square(parameter(loop, 'maxDepthM')), 8), sigmaZz), m.mul(2, dtS));
  const diffusivityV = m.min(loop.load('diffusivityV'), deepest);
  const shear2 = m.square(normalShear);
  const dt2 = m.square(dtS);
  const spread = m.add(
    m.mul(2 / 3, shear2, diffusivityV, dt2, dtS),
    m.mul(shear2, sigmaZz, dt2),
    m.mul(2, m.add(loop.load('diffusivityH'), m.mul(normalShear, sigmaYz)), dtS),
    sigmaYy,
  );
  const covariance = m.add(m.mul(normalShear, diffusivityV, dt2), m.mul(normalShear, sigmaZz, dtS), sigmaYz);
  loop.store('widthBefore', width);
  loop.store('forcingBefore', loop.load('rfNet'));
  loop.store('humidityBefore', loop.load('humidity'));
  loop.store('saturationBefore', loop.load('saturation'));
  loop.store('massBefore', loop.load('massPerM'));
  loop.store('width', m.sqrt(m.mul(8, spread, ratio, ratio)));
  loop.store('depth', m.sqrt(m.mul(8, m.add(m.mul(2, diffusivityV, dtS), sigmaZz))));
  loop.store('sigmaYz', m.mul(covariance, ratio));

  const particles = m.atLeast(loop.load('particles'), 0);
  const aggregation = loop.load('aggregation');
  const turbulence = loop.load('turbulence');
  const exponent = m.mul(turbulence, dtS);
  const remaining = m.only(m.isLess(exponent, 80), m.exp(m.neg(exponent)));
  const left = m.div(
    m.mul(ratio, turbulence, particles, remaining),
    m.add(turbulence, m.mul(aggregation, particles, m.oneMinusExp(exponent))),
  );
  // For very small turbulent loss the general form cancels; the limit leaves the stretching out, as published.
  const limit = m.div(particles, m.add(1, m.mul(aggregation, dtS, particles)));
  loop.store('particles', m.atLeast(m.select(m.isLess(exponent, 1e-5), limit, left), 0));
};

/** Enhanced shear normal to each row's segment. */
export const shearAcrossChain: LoopBody<TableColumn> = (loop, m) => {
  const dzM = parameter(loop, 'dzM');
  const du = m.div(m.sub(loop.load('u'), loop.load('uBelow')), dzM);
  const dv = m.div(m.sub(loop.load('v'), loop.load('vBelow')), dzM);
  const normal = m.sub(m.mul(dv, loop.load('cosA')), m.mul(du, loop.load('sinA')));
  loop.store('normalShear', m.mul(normal, loop.load('shearEnhancement')));
};

/** Energy forcing of the step by the trapezoidal rule in width × forcing. */
export const addEnergy: LoopBody<TableColumn> = (loop, m) => {
  const ends = m.add(
    m.mul(loop.load('widthBefore'), loop.load('forcingBefore')),
    m.mul(loop.load('width'), loop.load('rfNet')),
  );
  loop.store('energyForcing', m.mul(0.5, ends, loop.load('dtS'), loop.load('length')));
};
