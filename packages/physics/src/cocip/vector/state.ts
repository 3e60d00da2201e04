/** Properties of the plumes at an instant (Schumann 2012, sections 2.4 to 2.9). */
import {
  GAS_CONSTANT_DRY,
  GRAVITY_M_S2,
  HEAT_CAPACITY_DRY,
  ICE_DENSITY_KG_M3,
  ICE_REFRACTIVE_INDEX,
  SURFACE_PRESSURE_PA,
  VISIBLE_WAVELENGTH_M,
  VOLUME_TO_EFFECTIVE_RADIUS,
} from '../../constants.ts';
import type { LoopBody, Vector, VectorLoop, VectorMath } from '../../vector/expression.ts';
import type { TableColumn } from '../plumes.ts';
import { effectiveArea } from './cross-section.ts';
import { parameter } from './parameters.ts';

const KAPPA = GAS_CONSTANT_DRY / HEAT_CAPACITY_DRY;
const LN_SURFACE_PRESSURE = Math.log(SURFACE_PRESSURE_PA);

/** Stratification and shear over the layer below, and the radiation as the forcing needs it. */
export const describeSurroundings: LoopBody<TableColumn> = (loop, m) => {
  const dzM = parameter(loop, 'dzM');
  const theta = potentialTemperature(m, loop.load('temperature'), loop.load('lnPressure'));
  const lnBelow = m.log(m.mul(100, loop.load('levelBelow')));
  const thetaBelow = potentialTemperature(m, loop.load('temperatureBelow'), lnBelow);
  const du = m.div(m.sub(loop.load('u'), loop.load('uBelow')), dzM);
  const dv = m.div(m.sub(loop.load('v'), loop.load('vBelow')), dzM);
  const enhancement = shearEnhancement(loop, m, loop.load('depth'));
  loop.store('potentialTemperature', theta);
  loop.store('thetaGradient', m.div(m.sub(theta, thetaBelow), dzM));
  loop.store('shearEnhancement', enhancement);
  loop.store('shear', m.mul(m.sqrt(m.add(m.square(du), m.square(dv))), enhancement));

  const shortwave = loop.load('shortwave');
  const reflected = m.atLeast(m.sub(loop.load('sdr'), shortwave), 0);
  const isUpward = m.isEqual(parameter(loop, 'upwardShortwave'), 1);
  const longwave = m.mul(parameter(loop, 'longwaveSign'), loop.load('longwave'));
  const isAlbedo = m.isEqual(parameter(loop, 'albedoShortwave'), 1);
  const ofSun = m.mul(shortwave, loop.load('sdr'));
  loop.store('rsr', m.select(isAlbedo, ofSun, m.select(isUpward, shortwave, reflected)));
  loop.store('olr', m.atLeast(longwave, parameter(loop, 'minLongwave')));
};

export function potentialTemperature(m: VectorMath, temperature: Vector, lnPressure: Vector): Vector {
  return m.mul(temperature, m.exp(m.mul(KAPPA, m.sub(LN_SURFACE_PRESSURE, lnPressure))));
}

/** Of shear that the weather does not resolve over the depth [m] of a contrail. */
export function shearEnhancement(loop: VectorLoop<string>, m: VectorMath, depth: Vector): Vector {
  const ratio = m.div(parameter(loop, 'effectiveVerticalResolutionM'), depth);
  const exponent = parameter(loop, 'windShearEnhancementExponent');
  const power = loop.variable(m.sqrt(ratio));
  loop.whereAny(m.not(m.isEqual(exponent, 0.5)), () => {
    loop.assign(power, m.exp(m.mul(exponent, m.log(ratio))));
  });
  return m.mul(0.5, m.add(1, loop.read(power)));
}

/** Size, optical depth, fall speed, diffusion and losses of the particles. */
export const describePlumes: LoopBody<TableColumn> = (loop, m) => {
  const width = loop.load('width');
  const depth = loop.load('depth');
  const particles = loop.load('particles');
  const density = loop.load('density');
  const area = effectiveArea(m, width, depth, loop.load('sigmaYz'));
  const effectiveDepth = m.div(area, width);
  const perM3 = m.div(particles, area);
  const lnRadius = lnVolumeMeanRadius(m, loop.load('iceWaterContent'), m.div(perM3, density));
  const radius = m.exp(lnRadius);
  const fallSpeed = terminalFallSpeed(m, lnRadius, loop.load('lnPressure'), loop.load('lnTemperature'));
  const gradient = m.atLeast(loop.load('thetaGradient'), 1e-6);
  const bruntVaisala = m.sqrt(m.div(m.mul(gradient, GRAVITY_M_S2), loop.load('potentialTemperature')));
  const turbulent = m.div(
    m.square(parameter(loop, 'turbulentVerticalVelocityScale')),
    m.atLeast(bruntVaisala, 0.001),
  );
  const settling = m.mul(parameter(loop, 'sedimentationImpactFactor'), fallSpeed, effectiveDepth);
  const diffusivityH = m.atMost(
    m.mul(0.1, loop.load('shear'), depth, depth),
    parameter(loop, 'maxHorizontalDiffusivity'),
  );
  const diffusivityV = m.atMost(m.add(turbulent, settling), parameter(loop, 'maxVerticalDiffusivity'));
  const larger = m.max(width, depth);
  const loss = m.add(m.div(diffusivityH, m.square(larger)), m.div(diffusivityV, m.square(effectiveDepth)));
  loop.store('area', area);
  loop.store('massPerM', m.mul(area, density));
  loop.store('particlesPerM3', perM3);
  loop.store('radius', radius);
  loop.store('opticalDepth', opticalDepth(m, radius, m.div(particles, width)));
  loop.store('fallSpeed', fallSpeed);
  loop.store('diffusivityH', diffusivityH);
  loop.store('diffusivityV', diffusivityV);
  loop.store('aggregation', m.div(m.mul(8 * Math.PI, radius, radius, fallSpeed), area));
  loop.store('turbulence', m.mul(0.1, m.abs(loss)));
};

/** ln of the volume-mean radius [m], at least that of 1e−10 m, which is also the radius without ice. */
function lnVolumeMeanRadius(m: VectorMath, iceWaterContent: Vector, particlesPerKg: Vector): Vector {
  const volume = m.div(m.mul(3 / (4 * Math.PI * ICE_DENSITY_KG_M3), iceWaterContent), particlesPerKg);
  const min = Math.log(1e-10);
  return m.select(m.isAtMost(iceWaterContent, 0), min, m.atLeast(m.div(m.log(volume), 3), min));
}

/** Spichtinger and Gierens 2009, eq. 18: four ranges of the mass of a particle, each a power of it. */
function terminalFallSpeed(
  m: VectorMath,
  lnRadius: Vector,
  lnPressure: Vector,
  lnTemperature: Vector,
): Vector {
  const lnMass = m.add(m.mul(3, lnRadius), Math.log((4 / 3) * Math.PI * ICE_DENSITY_KG_M3));
  const ranges = [
    { below: 2.146e-13, factor: 735.4, power: 0.42 },
    { below: 2.166e-9, factor: 63_292.4, power: 0.57 },
    { below: 4.264e-8, factor: 329.8, power: 0.31 },
  ];
  let factor = m.constant(Math.log(8.8));
  let power = m.constant(0.096);
  for (const range of ranges.toReversed()) {
    const inRange = m.isLess(lnMass, Math.log(range.below));
    factor = m.select(inRange, Math.log(range.factor), factor);
    power = m.select(inRange, range.power, power);
  }
  const thinAir = m.add(
    m.mul(0.178, m.sub(Math.log(30_000), lnPressure)),
    m.mul(0.394, m.sub(Math.log(233), lnTemperature)),
  );
  return m.exp(m.add(factor, m.mul(power, lnMass), thinAir));
}

/** With van de Hulst's anomalous diffraction for the extinction. */
function opticalDepth(m: VectorMath, radius: Vector, particlesPerM2: Vector): Vector {
  const phase = m.atMost(
    m.mul((4 * Math.PI * (ICE_REFRACTIVE_INDEX - 1)) / VISIBLE_WAVELENGTH_M, radius),
    100,
  );
  const { sine, cosine } = m.sineAndCosine(phase);
  const extinction = m.sub(2, m.mul(m.div(4, phase), m.sub(sine, m.div(m.sub(1, cosine), phase))));
  const tau = m.mul(VOLUME_TO_EFFECTIVE_RADIUS * Math.PI, radius, radius, particlesPerM2, extinction);
  return m.select(m.isAtMost(radius, 1e-9), 0, m.atLeast(tau, 0));
}
