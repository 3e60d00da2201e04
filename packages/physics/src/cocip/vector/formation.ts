/**
 * How contrails form in grid cells, as formulas of a vector loop: the criterion, the wake that carries the young contrail down, and
 * the ice that is left. The functions of a single point that they follow are in sac.ts, wake-vortex.ts and initial-ice.ts.
 */
import { ISA } from '../../atmosphere/isa.ts';
import { lnSaturationIce, lnSaturationLiquid, saturationLiquid } from '../../atmosphere/saturation-vector.ts';
import {
  EPSILON,
  GRAVITY_M_S2,
  HEAT_CAPACITY_DRY,
  HEAT_CAPACITY_RATIO,
  HEAT_CAPACITY_VAPOUR,
  LAPSE_RATE_K_M,
  SEA_LEVEL_TEMPERATURE_K,
  TROPOPAUSE_M,
  ZERO_CELSIUS_K,
} from '../../constants.ts';
import type { LoopBody, Vector, VectorLoop, VectorMath } from '../../vector/expression.ts';
import type { TableColumn } from '../plumes.ts';
import { altitude } from './motion.ts';
import { parameter } from './parameters.ts';
import { potentialTemperature, shearEnhancement } from './state.ts';

/** What the aircraft leaves per point, by pressure and temperature alone. */
export const CRUISE_COLUMNS = [
  /** Water per heat of the exhaust, over ε [kg J⁻¹]. */
  'exhaustPerHeat',
  /** [kg m⁻¹] */
  'fuelPerM',
  /** True airspeed over mass [m s⁻¹ kg⁻¹]. */
  'airspeedPerKg',
  /** [kg⁻¹] */
  'nvpmEiN',
  /** [m s⁻¹] */
  'trueAirspeed',
] as const;

/** Air of the cell itself, not of the contrail below it. */
export const SOURCE_COLUMNS = [
  'sourceTemperature',
  'sourceHumidity',
  'sourcePressure',
  'sourceDensity',
  'sourceSaturation',
] as const;

export type FormationColumn =
  | TableColumn
  | (typeof CRUISE_COLUMNS)[number]
  | (typeof SOURCE_COLUMNS)[number]
  | 'mixingSlope'
  | 'thresholdK'
  | 'rh'
  /** 1 or 0: the criterion holds; the descent depends on the shear; a contrail is left to follow. */
  | 'isFormed'
  | 'isSheared'
  | 'isPersistent';

type Loop = VectorLoop<FormationColumn>;

/** Schmidt–Appleman criterion with the air of the cell. */
const meetCriterion: LoopBody<FormationColumn> = (loop, m) => {
  const T = loop.load('temperature');
  const humidity = loop.load('humidity');
  const pressure = loop.load('pressure');
  const heatCapacity = m.add(HEAT_CAPACITY_DRY, m.mul(HEAT_CAPACITY_VAPOUR - HEAT_CAPACITY_DRY, humidity));
  const slope = m.mul(loop.load('exhaustPerHeat'), heatCapacity, pressure);
  const ln = m.log(m.sub(slope, 0.053));
  const threshold = m.add(ZERO_CELSIUS_K - 46.46, m.mul(9.43, ln), m.mul(0.72, m.square(ln)));
  const saturation = m.exp(lnSaturationLiquid(m, T));
  const colder = m.sub(T, threshold);
  const critical = m.add(m.mul(slope, colder), m.exp(lnSaturationLiquid(m, threshold)));
  const rh = m.div(m.mul(humidity, pressure), m.mul(EPSILON, saturation));
  const rhCritical = m.atMost(m.atLeast(m.div(critical, saturation), 0), 1);
  loop.store('mixingSlope', slope);
  loop.store('thresholdK', threshold);
  loop.store('rh', rh);
  loop.store('isFormed', flag(m, m.both(m.isAtMost(colder, 0), m.isLess(rhCritical, rh))));
};

/** Downwash of the wake vortices (Holzäpfel 2003), and where it leaves the contrail. */
const sinkInWake: LoopBody<FormationColumn> = (loop, m) => {
  const dzM = parameter(loop, 'dzM');
  const wingspan = parameter(loop, 'wingspanM');
  const pressure = loop.load('sourcePressure');
  const lnPressure = m.log(pressure);
  const theta = potentialTemperature(m, loop.load('sourceTemperature'), lnPressure);
  const lnBelow = m.log(m.mul(100, loop.load('levelBelow')));
  const below = potentialTemperature(m, loop.load('temperatureBelow'), lnBelow);
  const gradient = m.atLeast(m.div(m.sub(theta, below), dzM), 1e-6);
  const bruntVaisala = m.sqrt(m.div(m.mul(gradient, GRAVITY_M_S2), theta));
  const du = m.div(m.sub(loop.load('u'), loop.load('uBelow')), dzM);
  const dv = m.div(m.sub(loop.load('v'), loop.load('vBelow')), dzM);
  const shear = m.sqrt(m.add(m.square(du), m.square(dv)));
  /** ρV/(M g), which vortices are made of. */
  const vortex = m.mul(loop.load('sourceDensity'), loop.load('airspeedPerKg'), 1 / GRAVITY_M_S2);
  const cube = m.mul(wingspan, wingspan, wingspan);
  const nT0 = m.mul(bruntVaisala, Math.PI ** 4 / 32, cube, vortex);
  const strong = m.div((1.49 * 16) / (2 * Math.PI ** 3), m.mul(wingspan, wingspan, vortex, bruntVaisala));
  const isWeak = m.isLess(nT0, 0.8);
  const descent = loop.variable(strong);
  loop.whereAny(isWeak, () => {
    const enhancement = shearEnhancement(loop, m, m.atLeast(strong, 10));
    const velocity = parameter(loop, 'turbulentVerticalVelocityScale');
    const dissipation = m.mul(0.5, velocity, velocity, shear, enhancement, enhancement);
    const cubeRoot = m.exp(m.div(m.log(m.atLeast(m.mul(dissipation, wingspan), 1e-30)), 3));
    const normalised = m.atMost(
      m.mul((Math.PI / 4) ** (1 / 3) * (Math.PI ** 3 / 8), cubeRoot, wingspan, wingspan, vortex),
      0.36,
    );
    const bracket = m.mul(7.68, m.polynomial(normalised, [1, -4.07, 5.67]), m.sub(0.79, nT0));
    const weak = m.mul(Math.PI / 4, wingspan, m.add(bracket, 1.88));
    loop.assign(descent, m.select(isWeak, weak, strong));
  });
  const depth = m.mul(parameter(loop, 'initialWakeVortexDepth'), loop.read(descent));
  const lnRatio = lnPressureRatio(m, altitude(m, pressure, lnPressure), m.mul(0.5, depth));
  const lowered = m.mul(pressure, m.exp(lnRatio));
  loop.store('isSheared', flag(m, isWeak));
  loop.store('width', m.mul(Math.PI / 4, wingspan));
  loop.store('depth', depth);
  loop.store('pressure', lowered);
  loop.store('lnPressure', m.log(lowered));
  loop.store('level', m.div(lowered, 100));
};

/** ln of the pressure so far [m] below a pressure altitude [m], over the pressure there: through the two layers in turn. */
function lnPressureRatio(m: VectorMath, altitudeM: Vector, dropM: Vector): Vector {
  const inStratosphere = m.min(dropM, m.atLeast(m.sub(altitudeM, TROPOPAUSE_M), 0));
  const temperature = m.add(
    SEA_LEVEL_TEMPERATURE_K,
    m.mul(LAPSE_RATE_K_M, m.atMost(altitudeM, TROPOPAUSE_M)),
  );
  const warming = m.div(m.mul(-LAPSE_RATE_K_M, m.sub(dropM, inStratosphere)), temperature);
  return m.sub(
    m.mul(ISA.pressureExponent, m.log(m.add(1, warming))),
    m.mul(ISA.stratosphereDecayPerM, inStratosphere),
  );
}

/** Ice and particles when the wake vortices have gone, and whether a contrail is left to follow. */
const makeIce: LoopBody<FormationColumn> = (loop, m) => {
  const T = loop.load('sourceTemperature');
  const saturation = loop.load('sourceSaturation');
  const fuelPerM = loop.load('fuelPerM');
  const section = m.mul(Math.PI / 4, loop.load('width'), loop.load('depth'), loop.load('sourceDensity'));
  const exhaust = m.div(m.mul(parameter(loop, 'eiH2o'), fuelPerM), section);
  const ice = m.atLeast(m.add(m.sub(loop.load('sourceHumidity'), saturation), exhaust), 0);
  const left = m.atLeast(m.sub(ice, adiabaticLoss(loop, m, T, saturation)), 0);
  const activated = m.mul(loop.load('nvpmEiN'), activatedShare(loop, m, T));
  const particles = m.mul(fuelPerM, m.atLeast(activated, parameter(loop, 'minActivatedEiN')));
  const hasIce = m.both(m.isLess(0, ice), m.isLess(0, left));
  const survival = m.select(hasIce, m.atMost(m.div(left, ice), 1), 0.5);
  const rhi = loop.load('rhi');
  const within = (value: Vector, low: number) => m.both(m.isLess(low, value), m.isLess(value, 1e10));
  loop.store('iceWaterContent', left);
  loop.store('particles', m.mul(particles, survival));
  loop.store('isPersistent', flag(m, m.both(within(left, 1e-12), within(rhi, 0))));
};

/** Ice that sublimates in the descent: saturation before it, times what the descent adds to it. */
function adiabaticLoss(loop: Loop, m: VectorMath, T: Vector, saturation: Vector): Vector {
  const lnRatio = m.log(m.div(loop.load('pressure'), loop.load('sourcePressure')));
  const warmed = m.mul(T, m.exp(m.mul((HEAT_CAPACITY_RATIO - 1) / HEAT_CAPACITY_RATIO, lnRatio)));
  const lnGrowth = m.sub(m.sub(lnSaturationIce(m, warmed), lnSaturationIce(m, T)), lnRatio);
  return m.atLeast(m.neg(m.mul(saturation, m.oneMinusExp(m.neg(lnGrowth)))), 0);
}

/** Below the threshold by so much all soot particles form ice [K]. */
const COMPLETE_K = 5;
const NEWTON_STEPS = 7;

/**
 * Share of the soot particles that form ice. T_LC is sought as a difference to T_LM, and only where the air is not so cold that
 * all particles form ice.
 */
function activatedShare(loop: Loop, m: VectorMath, T: Vector): Vector {
  const slope = loop.load('mixingSlope');
  const threshold = loop.load('thresholdK');
  const rh = loop.load('rh');
  const lnAtThreshold = loop.keep(lnSaturationLiquid(m, threshold));
  const reach = loop.keep(m.div(m.exp(lnAtThreshold), slope));
  /** How far from the mixing line saturation is at T_LM + x, and its derivative. */
  const missAt = (x: Vector) => {
    const { ln, slope: growth } = saturationLiquid(m, m.add(threshold, x));
    const share = m.mul(rh, m.exp(m.sub(ln, lnAtThreshold)));
    return {
      miss: m.add(x, m.mul(reach, m.sub(1, share))),
      derivative: m.sub(1, m.mul(reach, share, growth)),
    };
  };
  const colder = m.sub(T, threshold);
  const share = loop.variable(1);
  const isMoist = m.isAtMost(0.999, rh);
  const warmer = m.add(colder, COMPLETE_K);
  // Left of T_LC the miss is negative.
  const isComplete = m.both(
    m.isLess(warmer, 0),
    m.select(isMoist, m.isLess(warmer, 0), m.isLess(missAt(warmer).miss, 0)),
  );
  loop.whereAny(m.not(isComplete), () => {
    const difference = loop.variable(-1);
    for (let step = 0; step < NEWTON_STEPS; step++) {
      const x = loop.read(difference);
      const { miss, derivative } = missAt(x);
      loop.assign(difference, m.sub(x, m.div(miss, derivative)));
    }
    const critical = m.select(isMoist, 0, loop.read(difference));
    const below = m.atMost(m.sub(colder, critical), 0);
    const incomplete = m.sub(1, m.mul(0.661, m.exp(below)));
    loop.assign(share, m.select(m.isLess(below, -COMPLETE_K), 1, incomplete));
  });
  return loop.read(share);
}

function flag(m: VectorMath, mask: Vector): Vector {
  return m.select(mask, 1, 0);
}

export const FORMATION_STAGES = { meetCriterion, sinkInWake, makeIce };
