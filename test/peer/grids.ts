/**
 * Grids with custom parameters through our model and through CocipGrid of pycontrails, cell by cell. Fails when the age of a
 * cell's contrail differs, or its energy forcing by more than 1e-5.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CustomGrid, cellAircraft, gridParamsOf, segmentOf } from '@contrails/engine/grid/cocip-model';
import { scaleHumidityBy } from '@contrails/engine/weather/humidity-scaling';
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import { cellSources, followGridContrails } from '@contrails/physics/cocip';
import { HOUR_MS } from '@contrails/runtime';
import { readTools } from '../support/tools.ts';
import { prepareWeather } from './trajectories/weather.ts';

const RESOLUTION_DEG = 5;
const TIME_MS = Date.UTC(2024, 2, 20, 9);
const HOURS = 15;
/** Where values cancel, a share of the largest value of the grid counts: 1e-7 of it may deviate. */
const LIMIT = 1e-5;
const SMALL = 0.01;

/** All but the mass: the peer's grids have no other than that of nominal cruise. */
type PeerGrid = Omit<CustomGrid, 'scaling' | 'aircraftMassKg'> & {
  readonly name: string;
  readonly aircraftType: 'A320' | 'B738' | 'B77W';
  readonly scaling: CustomGrid['scaling']['name'];
};

const GRIDS: readonly PeerGrid[] = [
  { name: 'step and age', aircraftType: 'B738', scaling: 'none', dtIntegrationMinutes: 20, maxAgeHours: 6 },
  { name: 'direction', aircraftType: 'A320', scaling: 'constant_scale', azimuthDeg: 90 },
  { name: 'defaults', aircraftType: 'B77W', scaling: 'exponential_boost_latitude_customization' },
  { name: 'fuel', aircraftType: 'B738', scaling: 'histogram_matching', safBlendPercent: 50 },
  {
    ...{ name: 'all together', aircraftType: 'A320', scaling: 'histogram_matching', azimuthDeg: 215 },
    ...{ dtIntegrationMinutes: 30, maxAgeHours: 10, safBlendPercent: 20 },
  },
];

const { python, missing } = readTools();
if (python === null)
  throw new Error(`pycontrails cannot be run: ${missing.python ?? 'Python is not set up'}`);

const range = (first: number, step: number, count: number) =>
  Array.from({ length: count }, (_, i) => first + i * step);
const cells = {
  longitude: range(-171, 9, 39),
  latitude: range(-66, 6, 23),
  level: [300, 340, 380].map((flightLevel) => levelFromAltitudeFt(100 * flightLevel)),
};
const folder = mkdtempSync(join(tmpdir(), 'contrails grids '));
try {
  const weather = await prepareWeather(folder, RESOLUTION_DEG, [
    TIME_MS - HOUR_MS,
    TIME_MS + HOURS * HOUR_MS,
  ]);
  writeFileSync(join(folder, 'cells.json'), JSON.stringify({ ...cells, time: TIME_MS / 1000 }));
  writeFileSync(join(folder, 'grids.json'), JSON.stringify(GRIDS));
  const version = execFileSync(python, [join(import.meta.dirname, 'grids/peer.py'), folder], {
    encoding: 'utf8',
    env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  const lines = readFileSync(join(folder, 'grids.ndjson'), 'utf8').trim().split('\n');
  console.log(`pycontrails ${version}: ${GRIDS.length} grids of ${pointsOfCells().level.length} cells`);
  const faults = GRIDS.flatMap((grid, g) =>
    compareGrid(grid, followCells(weather, grid), JSON.parse(lines[g] as string) as Cells),
  );
  for (const fault of faults.slice(0, 50)) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
  await weather.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Cells {
  readonly efPerM: ArrayLike<number>;
  readonly ageHours: ArrayLike<number>;
}

type Weather = Awaited<ReturnType<typeof prepareWeather>>;

function pointsOfCells() {
  const { longitude, latitude, level } = cells;
  const all = longitude.flatMap((x) => latitude.flatMap((y) => level.map((z) => [x, y, z] as const)));
  const column = (k: 0 | 1 | 2) => Float64Array.from(all, (cell) => cell[k]);
  return {
    longitude: column(0),
    latitude: column(1),
    level: column(2),
    timeMs: new Float64Array(all.length).fill(TIME_MS),
  };
}

function followCells({ weather }: Weather, { name: _, aircraftType, scaling, ...options }: PeerGrid): Cells {
  const scalingOptions = scaling === 'constant_scale' ? { rhiAdj: 0.97 } : {};
  const custom: CustomGrid = { ...options, scaling: { name: scaling, options: scalingOptions } };
  const points = pointsOfCells();
  const scaleHumidity = scaleHumidityBy(custom.scaling);
  const aircraft = cellAircraft({ type: aircraftType }, custom);
  const sources = cellSources(points, weather, scaleHumidity, aircraft);
  const params = { ...gridParamsOf(custom), singlePrecisionForcing: true };
  const followed = followGridContrails(
    sources.sources,
    weather,
    scaleHumidity,
    segmentOf(custom),
    params,
    () => {},
    [],
  );
  const [efPerM, ageHours] = [new Float64Array(points.level.length), new Float64Array(points.level.length)];
  sources.cells.forEach((cell, k) => {
    if (followed.ageS[k] === 0) return;
    efPerM[cell] = followed.efPerM[k] as number;
    ageHours[cell] = (followed.ageS[k] as number) / 3600;
  });
  return { efPerM, ageHours };
}

function compareGrid({ name }: PeerGrid, ours: Cells, theirs: Cells): string[] {
  const values = Array.from(theirs.efPerM, (value) => value || 0);
  const floor = SMALL * values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const faults: string[] = [];
  let worst = 0;
  let contrails = 0;
  values.forEach((other, c) => {
    const [own, age, otherAge] = [ours.efPerM[c] ?? 0, ours.ageHours[c] ?? 0, theirs.ageHours[c] || 0];
    if (other !== 0) contrails++;
    if (Math.abs(age - otherAge) > 1e-6)
      faults.push(`${name}, cell ${c}: age ${age} instead of ${otherAge} h`);
    const relative = own === other ? 0 : Math.abs(own - other) / (Math.abs(other) + floor);
    worst = Math.max(worst, relative);
    if (!(relative <= LIMIT)) faults.push(`${name}, cell ${c}: ${own} instead of ${other} J/m`);
  });
  if (contrails === 0) faults.push(`${name}: the peer has no contrails, so nothing was compared`);
  console.log(
    `  ${name.padEnd(14)} ${contrails} cells with contrails, deviates by ${worst.toExponential(1)}`,
  );
  return faults;
}
