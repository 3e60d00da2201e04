/** Plumes of every kind, for tests of the stages of a step. */
import { altitudeMFromLevel } from '../../src/atmosphere/isa.ts';
import type { PlumeTable, TableColumn } from '../../src/cocip/plumes.ts';

export const ROWS = 1003;
export const TO_MS = Date.UTC(2024, 2, 1, 9, 30);

/** A reproducible number between two bounds for every row and name. */
export function spread(name: string, row: number, low: number, high: number): number {
  let hash = 2_166_136_261;
  for (const character of `${name} ${row}`) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507);
  return low + ((high - low) * ((hash ^ (hash >>> 13)) >>> 0)) / 2 ** 32;
}

const RANGES: Partial<Record<TableColumn, readonly [number, number]>> = {
  longitude: [-180, 180],
  latitude: [-79, 79],
  level: [150, 500],
  width: [50, 40_000],
  depth: [20, 1400],
  sigmaYz: [-200, 200],
  temperature: [195, 250],
  temperatureBelow: [195, 252],
  humidity: [1e-6, 5e-4],
  humidityBefore: [1e-6, 5e-4],
  saturation: [1e-6, 5e-4],
  saturationBefore: [1e-6, 5e-4],
  density: [0.2, 0.7],
  iceWaterContent: [-1e-6, 1e-4],
  particles: [-1e9, 1e13],
  u: [-90, 90],
  v: [-60, 60],
  uBelow: [-90, 90],
  vBelow: [-60, 60],
  omega: [-1, 1],
  normalShear: [-0.02, 0.02],
  shear: [0, 0.02],
  shearEnhancement: [1, 5],
  shortwave: [0, 900],
  longwave: [-320, -100],
  sdr: [-400, 1300],
  rsr: [0, 900],
  olr: [100, 320],
  massPerM: [1e2, 1e6],
  massBefore: [1e2, 1e6],
  radius: [1e-10, 4e-4],
  fallSpeed: [0, 0.5],
  diffusivityH: [0, 200],
  diffusivityV: [0, 5],
  aggregation: [0, 1e-14],
  turbulence: [0, 1e-4],
  opticalDepth: [0, 1],
  rfNet: [-30, 30],
  forcingBefore: [-30, 30],
  widthBefore: [50, 40_000],
  length: [0, 30_000],
  lengthBefore: [0, 30_000],
  sinA: [-1, 1],
  cosA: [-1, 1],
  dtS: [60, 1800],
  thetaGradient: [-0.002, 0.02],
  potentialTemperature: [290, 400],
};

/** Rows with numbers that occur, and some that hardly do. */
export function fillPlumes(columns: PlumeTable): void {
  for (const column of Object.values(columns)) column.fill(0);
  for (const [name, [low, high]] of Object.entries(RANGES)) {
    for (let i = 0; i < ROWS; i++) columns[name as TableColumn][i] = spread(name, i, low, high);
  }
  for (let i = 0; i < ROWS; i++) {
    columns.flight[i] = Math.floor(i / 50);
    columns.waypoint[i] = i % 10 === 9 ? i + 1 : i;
    columns.timeMs[i] = TO_MS - 60_000 * (1 + (i % 30));
    columns.formationTimeMs[i] = TO_MS - 600_000 * (4 + (i % 40));
    columns.cirrusOpticalDepth[i] = i % 3 === 0 ? 0 : spread('cirrus', i, 0, 2);
    columns.pressure[i] = 100 * (columns.level[i] as number);
    columns.altitude[i] = altitudeMFromLevel(columns.level[i] as number);
    columns.lnPressure[i] = Math.log(columns.pressure[i] as number);
    columns.lnTemperature[i] = Math.log(columns.temperature[i] as number);
    columns.levelBelow[i] = (columns.level[i] as number) + 8;
    columns.solarIrradiance[i] = 1361;
    columns.radius[i] = 10 ** spread('radius', i, -8, -3.4);
    columns.particles[i] = 10 ** spread('particles', i, 8, 13);
    columns.turbulence[i] = 10 ** spread('turbulence', i, -12, -1);
    const latitude = ((columns.latitude[i] as number) * Math.PI) / 180;
    columns.sineOfLatitude[i] = Math.sin(latitude);
    columns.cosineOfLatitude[i] = Math.cos(latitude);
  }
}
