/** Where the points go in a step, and how their cross-section spreads. */

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
