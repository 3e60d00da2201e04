/** Formation of contrails in grid cells on a GPU, stage by stage, against the functions of a single point. */
import { describe, expect, test } from 'vitest';
import { openDevice } from '../../../../test/support/gpu.ts';
import { findAircraftType } from '../../src/aircraft/index.ts';
import { relativeHumidityLiquid, saturationHumidityIce } from '../../src/atmosphere/humidity.ts';
import { altitudeMFromLevel, levelFromAltitudeM } from '../../src/atmosphere/isa.ts';
import {
  bruntVaisala,
  potentialTemperatureGradient,
  pressureBelow,
  windShear,
} from '../../src/atmosphere/stratification.ts';
import { airDensity, moistHeatCapacity } from '../../src/atmosphere/thermodynamics.ts';
import { cruiseOf } from '../../src/cocip/cell-sources.ts';
import { CRUISE_AXIS, cruiseTable } from '../../src/cocip/gpu/cruise-table.ts';
import { StageWriter } from '../../src/cocip/gpu/stages.ts';
import {
  activatedShare,
  adiabaticIceLoss,
  exhaustHumidity,
  iceSurvival,
  initialIceWaterContent,
  isInitiallyPersistent,
} from '../../src/cocip/initial-ice.ts';
import { DEFAULT_COCIP_PARAMS } from '../../src/cocip/params.ts';
import { CRUISE_COLUMNS, FORMATION_STAGES } from '../../src/cocip/vector/formation.ts';
import { setOptions, setSource } from '../../src/cocip/vector/index.ts';
import { PARAMETER_COUNT, parametersInto } from '../../src/cocip/vector/parameters.ts';
import { maxDescentM } from '../../src/cocip/wake-vortex.ts';
import { createEmissionsModel, JET_A1, selectEngine } from '../../src/emissions/index.ts';
import {
  criticalRelativeHumidity,
  criticalTemperature,
  exhaustMoistureToHeat,
  sacFlag,
  thresholdTemperature,
} from '../../src/formation/sac.ts';
import { spread } from '../support/plume-rows.ts';
import { runRows } from './support.ts';

const device = await openDevice();
const ROWS = 4000;
const WINGSPAN_M = 34.3;
const { eiH2o } = JET_A1;
const PARAMS = DEFAULT_COCIP_PARAMS;

type Row = (name: string) => number;
type Columns = Record<string, Float32Array>;

const column = (of: (i: number) => number) => Float32Array.from({ length: ROWS }, (_, i) => of(i));
const random = (name: string, low: number, high: number) => column((i) => spread(name, i, low, high));

/** Cells over the whole range of the grid, some at its edges. */
function cells(): Columns {
  const temperature = random('temperature', 190, 260);
  const pressure = random('pressure', 13_000, 50_000);
  const saturation = column((i) => saturationHumidityIce(temperature[i] as number, pressure[i] as number));
  const humidity = column((i) => spread('share', i, 0, i % 10 === 0 ? 2 : 1.4) * (saturation[i] as number));
  humidity[0] = 0;
  return {
    temperature,
    pressure,
    humidity,
    exhaustPerHeat: column((i) =>
      exhaustMoistureToHeat(spread('efficiency', i, 0.2, 0.45), eiH2o, JET_A1.qFuelJKg),
    ),
    fuelPerM: random('fuel', 0.002, 0.02),
    airspeedPerKg: column((i) => 230 / spread('mass', i, 4e4, 4e5)),
    nvpmEiN: random('soot', 1e12, 3e15),
  };
}

/** What a stage stores, for rows of these columns. */
async function run(stage: keyof typeof FORMATION_STAGES, given: Columns): Promise<Columns> {
  if (typeof device === 'string') throw new Error(device);
  setOptions(PARAMS);
  setSource({ wingspanM: WINGSPAN_M, eiH2o });
  const writer = new StageWriter();
  const statements = writer.write(stage, FORMATION_STAGES[stage]);
  const parameters = new Float32Array(PARAMETER_COUNT);
  parametersInto(parameters, 0, 0);
  return runRows(device, { statements, columns: [...writer.columns], parameters }, given, ROWS);
}

/** Median and 99 % of the deviations from a function of a row, as shares of it. */
function deviation(found: Columns, given: Columns, name: string, expected: (row: Row) => number) {
  const all = Array.from({ length: ROWS }, (_, i) => {
    const right = expected((column) => given[column]?.[i] as number);
    const other = found[name]?.[i] as number;
    return right === other ? 0 : Math.abs(other - right) / Math.max(Math.abs(right), 1e-30);
  }).sort((a, b) => a - b);
  return { median: all[ROWS >> 1] as number, rare: all[Math.floor(0.99 * ROWS)] as number };
}

describe.skipIf(typeof device === 'string')(
  typeof device === 'string' ? `skipped: ${device}` : 'formation in single precision',
  () => {
    test('holds the criterion where the functions of a point do', async () => {
      const given = cells();
      const found = await run('meetCriterion', given);
      const slope = (row: Row) =>
        row('exhaustPerHeat') * moistHeatCapacity(row('humidity')) * row('pressure');
      const threshold = (row: Row) => thresholdTemperature(slope(row));
      const rh = (row: Row) => relativeHumidityLiquid(row('humidity'), row('temperature'), row('pressure'));
      expect(deviation(found, given, 'mixingSlope', slope).rare).toBeLessThan(5e-7);
      expect(deviation(found, given, 'thresholdK', threshold).rare).toBeLessThan(5e-7);
      expect(deviation(found, given, 'rh', rh).rare).toBeLessThan(5e-6);
      const flags = Array.from({ length: ROWS }, (_, i) => {
        const row: Row = (name) => given[name]?.[i] as number;
        return sacFlag(rh(row), criticalRelativeHumidity(row('temperature'), slope(row), threshold(row)));
      });
      const others = flags.filter((right, i) => found.isFormed?.[i] !== right).length;
      expect(others).toBeLessThanOrEqual(1);
      expect(flags.filter((right) => right === 1).length).toBeGreaterThan(ROWS / 10);
    });

    test('lowers contrails through the wake', async () => {
      const air = cells();
      const [temperature, pressure] = [air.temperature as Float32Array, air.pressure as Float32Array];
      const given: Columns = {
        ...air,
        sourceTemperature: temperature,
        sourcePressure: pressure,
        sourceDensity: column((i) => airDensity(temperature[i] as number, pressure[i] as number)),
        levelBelow: column(
          (i) => pressureBelow(temperature[i] as number, pressure[i] as number, PARAMS.dzM) / 100,
        ),
        temperatureBelow: column((i) => (temperature[i] as number) + spread('warmer', i, -1.5, 2.2)),
        u: random('u', -90, 90),
        v: random('v', -60, 60),
      };
      given.uBelow = column((i) => (given.u?.[i] as number) + spread('du', i, -5, 5));
      given.vBelow = column((i) => (i % 7 === 0 ? (given.v?.[i] as number) : spread('vBelow', i, -60, 60)));
      const found = await run('sinkInWake', given);
      const depth = (row: Row) => {
        const [T, p] = [row('sourceTemperature'), row('sourcePressure')];
        const below = 100 * row('levelBelow');
        const gradient = potentialTemperatureGradient(T, p, row('temperatureBelow'), below, PARAMS.dzM);
        return (
          PARAMS.initialWakeVortexDepth *
          maxDescentM(
            WINGSPAN_M,
            row('airspeedPerKg') * 1e5,
            1e5,
            airDensity(T, p),
            bruntVaisala(T, p, gradient),
            windShear(row('u'), row('uBelow'), row('v'), row('vBelow'), PARAMS.dzM),
            PARAMS.turbulentVerticalVelocityScale,
            PARAMS.effectiveVerticalResolutionM,
            PARAMS.windShearEnhancementExponent,
          )
        );
      };
      const level = (row: Row) =>
        levelFromAltitudeM(altitudeMFromLevel(row('sourcePressure') / 100) - 0.5 * depth(row));
      const ofDepth = deviation(found, given, 'depth', depth);
      expect(ofDepth.median).toBeLessThan(1e-5);
      expect(ofDepth.rare).toBeLessThan(1e-3);
      const ofLevel = deviation(found, given, 'level', level);
      expect(ofLevel.median).toBeLessThan(3e-7);
      expect(ofLevel.rare).toBeLessThan(3e-6);
    });

    test('makes the ice and the particles that are left', async () => {
      const air = cells();
      const [temperature, pressure] = [air.temperature as Float32Array, air.pressure as Float32Array];
      const moisture = await run('meetCriterion', air);
      const given: Columns = {
        ...air,
        ...moisture,
        sourceTemperature: temperature,
        sourceHumidity: air.humidity as Float32Array,
        sourcePressure: pressure,
        sourceDensity: column((i) => airDensity(temperature[i] as number, pressure[i] as number)),
        sourceSaturation: column((i) =>
          saturationHumidityIce(temperature[i] as number, pressure[i] as number),
        ),
        width: column(() => (Math.PI / 4) * WINGSPAN_M),
        depth: random('depth', 20, 300),
        rhi: random('rhi', -0.1, 1.6),
      };
      given.pressure = column((i) => (pressure[i] as number) * spread('drop', i, 1, 1.03));
      const found = await run('makeIce', given);
      const ice = (row: Row) => {
        const density = airDensity(row('sourceTemperature'), row('sourcePressure'));
        return initialIceWaterContent(
          exhaustHumidity(row('fuelPerM'), eiH2o, row('width'), row('depth'), density),
          row('sourceHumidity'),
          row('sourceSaturation'),
        );
      };
      const left = (row: Row) =>
        Math.max(
          ice(row) - adiabaticIceLoss(row('sourceTemperature'), row('sourcePressure'), row('pressure')),
          0,
        );
      const particles = (row: Row) => {
        const critical = criticalTemperature(row('rh'), row('mixingSlope'), row('thresholdK'));
        const activated = row('nvpmEiN') * activatedShare(row('sourceTemperature'), critical);
        return row('fuelPerM') * Math.max(activated, 1e13) * iceSurvival(ice(row), left(row));
      };
      const ofIce = deviation(found, given, 'iceWaterContent', left);
      expect(ofIce.median).toBeLessThan(1e-6);
      expect(ofIce.rare).toBeLessThan(2e-4);
      // Only where the criterion holds: elsewhere there is no critical temperature.
      const formed = Array.from({ length: ROWS }, (_, i) => i).filter((i) => moisture.isFormed?.[i] === 1);
      const ofParticles = formed
        .map((i) => {
          const right = particles((name) => given[name]?.[i] as number);
          return Math.abs((found.particles?.[i] as number) / right - 1);
        })
        .sort((a, b) => a - b);
      expect(ofParticles[ofParticles.length >> 1]).toBeLessThan(2e-6);
      expect(ofParticles[Math.floor(0.99 * ofParticles.length)]).toBeLessThan(1e-3);
      const persistent = Array.from({ length: ROWS }, (_, i) => {
        const row: Row = (name) => given[name]?.[i] as number;
        return isInitiallyPersistent(left(row), row('rhi')) ? 1 : 0;
      });
      expect(persistent.filter((right, i) => found.isPersistent?.[i] !== right).length).toBeLessThanOrEqual(
        1,
      );
    });
  },
);

test('a table of nominal cruise has what the aircraft has between its temperatures', () => {
  const aircraft = {
    type: findAircraftType('B738'),
    emissions: createEmissionsModel(selectEngine({ aircraftType: 'B738' }), JET_A1),
    fuel: JET_A1,
  };
  const levels = [180, 250, 340];
  const { numbers } = cruiseTable(aircraft, levels);
  const { coldestK, perK, count } = CRUISE_AXIS;
  levels.forEach((level, l) => {
    const temperature = Float64Array.from({ length: 500 }, (_, i) => spread('T', i, 195, 245));
    const pressure = temperature.map(() => 100 * level);
    const { cruise, nvpmEiN } = cruiseOf(aircraft, pressure, temperature, new Float64Array(500).fill(5e-5));
    const deviations = Array.from(temperature, (T, i) => {
      const entry = Math.floor((T - coldestK) * perK);
      const part = (T - coldestK) * perK - entry;
      const found = CRUISE_COLUMNS.map((_, c) => {
        const at = (l * count + entry) * CRUISE_COLUMNS.length + c;
        const next = numbers[at + CRUISE_COLUMNS.length] as number;
        return (1 - part) * (numbers[at] as number) + part * next;
      });
      const airspeed = cruise.trueAirspeedMS[i] as number;
      const right = [
        exhaustMoistureToHeat(cruise.engineEfficiency[i] as number, eiH2o, JET_A1.qFuelJKg),
        (cruise.fuelFlowKgS[i] as number) / airspeed,
        airspeed / (cruise.aircraftMassKg[i] as number),
        nvpmEiN[i] as number,
        airspeed,
      ];
      return Math.max(...found.map((value, k) => Math.abs(value / (right[k] as number) - 1)));
    }).sort((a, b) => a - b);
    expect(deviations[250]).toBeLessThan(1e-6);
    expect(deviations.at(-1)).toBeLessThan(1e-3);
  });
});
