import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestFleet } from '@contrails/engine/flights/fleet';
import { DEFAULT_TRAJECTORY_OPTIONS } from '@contrails/engine/flights/options';
import { runTrajectories } from '@contrails/engine/flights/run';
import { openMet } from '@contrails/met';
import { HOUR_MS } from '@contrails/runtime';
import { openSynthetic } from '@contrails/testbed/weather';
import { startDemoServer } from './demo-server.ts';
import { greatCircleFleet } from './great-circle-fleet.ts';
import { ask, clientAborted } from './plain-client.ts';

const WAYPOINTS = 200;
/** Until every thread of the server has compiled what it runs. */
const WARM_UP_ROUNDS = 300;
const ROUNDS = 100;
/** Flights of which the one with the most contrails is taken. */
const CANDIDATES = 60;

export interface HttpFigures {
  readonly requestMs: number;
  readonly computeMs: number;
  readonly waypoints: number;
  /** Of them with contrails. */
  readonly contrailed: number;
}

/** The best of one flight asked of a server and computed here, in turn, when both are warm. */
export async function measureHttp(): Promise<HttpFigures> {
  const source = openSynthetic({ name: 'bench' });
  const met = openMet({ sources: [source], memoryBytes: 2 ** 31 });
  const candidates = Array.from({ length: CANDIDATES }, (_, f) => greatCircleFleet(1, WAYPOINTS, f));
  const ends = (column: 'timeMs' | 'latitude') => {
    const all = candidates.flatMap((fleet) => [...fleet.columns[column]]);
    return [Math.min(...all), Math.max(...all)] as const;
  };
  const weather = await met.openWeather({
    for: 'contrails',
    time: ends('timeMs'),
    level: [100, 850],
    latitude: ends('latitude'),
    longitude: [-180, 180],
    margin: { afterMs: 12 * HOUR_MS, degrees: 20 },
  });
  const run = (fleet: RequestFleet) =>
    runTrajectories('cocip', fleet, DEFAULT_TRAJECTORY_OPTIONS, { weather });
  const contrailed = await Promise.all(
    candidates.map(
      async (fleet) => (await run(fleet)).columns.contrail_age?.filter((age) => age > 0).length ?? 0,
    ),
  );
  const most = Math.max(...contrailed);
  const fleet = candidates[contrailed.indexOf(most)] as RequestFleet;
  const data = mkdtempSync(join(tmpdir(), 'contrails-bench-'));
  const server = await startDemoServer(data);
  const body = JSON.stringify({
    longitude: [...fleet.columns.longitude],
    latitude: [...fleet.columns.latitude],
    altitude_ft: [...fleet.columns.altitudeFt],
    time: Array.from(fleet.columns.timeMs, (ms) => new Date(ms).toISOString()),
    aircraft_type: fleet.attributes[0]?.aircraftType,
  });
  const times: Record<'request' | 'compute', number[]> = { request: [], compute: [] };
  try {
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      const began = performance.now();
      await run(fleet);
      const between = performance.now();
      await ask(server, '/v0/trajectory/cocip', body);
      times.compute.push(between - began);
      times.request.push(performance.now() - between);
    }
  } finally {
    clientAborted();
    await server.stop();
    rmSync(data, { recursive: true, force: true });
    weather.release();
    await met.close();
  }
  const best = (all: number[]) => Math.min(...all.slice(WARM_UP_ROUNDS));
  return {
    requestMs: best(times.request),
    computeMs: best(times.compute),
    waypoints: WAYPOINTS,
    contrailed: most,
  };
}
