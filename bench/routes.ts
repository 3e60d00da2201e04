/**
 * Routes on two cores, weather in memory and everything warm: London to New York with all defaults, its front of eleven points, and
 * the search alone, with contrail grids in memory, computed for the corridor, and without contrails.
 *
 * `cpu` is the time of all threads: on a machine with other work, half of it is what two free cores would take.
 *
 * BENCH_ROUNDS sets how often each is repeated.
 */
import { openCompute } from '@contrails/engine/compute';
import { FLIGHT_LEVELS } from '@contrails/engine/grid/layout';
import type { StoredGrids } from '@contrails/engine/planning/prepare';
import { computeRoute } from '@contrails/engine/routes/compute';
import { readRouteBody, routeOptionsOf, routeParameters } from '@contrails/engine/routes/request';
import { openMet } from '@contrails/met';
import { sharedFloat32 } from '@contrails/runtime';
import { readFlags } from '@contrails/runtime/options/flags';
import { Rejected } from '@contrails/runtime/options/rejected';
import { openSynthetic } from '@contrails/testbed/weather';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const MIB = 2 ** 20;
const CELLS_PER_DEGREE = 4;

const met = openMet({ sources: [openSynthetic({ name: 'bench' })], memoryBytes: 3 * 2 ** 30 });
const compute = openCompute({ threads: 2, maxQueue: 10_000 });
const services = { met: { open: async () => met }, compute, memoryBytes: 256 * MIB, grids: madeUpGrids() };

const body = readRouteBody({
  ...{ origin: 'EGLL', destination: 'KJFK', aircraft_type: 'B789' },
  departure_time: '2026-01-15T10:00Z',
});
if (body instanceof Rejected) throw new Error(JSON.stringify(body.errors));

const rows = [];
for (const [what, flags, wanted] of [
  ['route, stored grids', { contrails: 'grid' }, '≤ 2'],
  ['route, without contrails', { contrails: 'none' }, '≤ 2'],
  ['route, contrails computed', { contrails: 'compute' }, ''],
  ['route and front of eleven points', { contrails: 'grid', front: '1' }, '≤ 5'],
  ['route and verified front', { contrails: 'grid', front: 'verified' }, ''],
] as const) {
  const route = routeOptionsOf(readFlags(routeParameters, flags), 'exponential_boost_latitude_customization');
  const { ms, cpuMs } = await best(() => computeRoute(services, { body, route }, {}));
  rows.push({ what: `${what}, s`, value: round(ms / 1000), cpu: round(cpuMs / 1000), wanted });
}
console.table(rows);
await Promise.all([compute.close(), met.close()]);

/** Contrail grids of the globe with areas that move, as if they were stored and unpacked. */
function madeUpGrids(): StoredGrids {
  const [columns, lines] = [360 * CELLS_PER_DEGREE, 180 * CELLS_PER_DEGREE + 1];
  const kept = new Map<string, Float32Array>();
  const plane = (hour: number, flightLevel: number) => {
    const key = `${hour} ${flightLevel}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const values = sharedFloat32(columns * lines);
    for (let i = 0; i < columns; i++) {
      const lon = -180 + i / CELLS_PER_DEGREE;
      for (let j = 0; j < lines; j++) {
        const lat = -90 + j / CELLS_PER_DEGREE;
        const wave = Math.sin(lon / 6 + hour / 5) * Math.sin(lat / 4 + flightLevel / 30);
        values[i * lines + j] = wave > 0.5 ? 4e8 * (wave - 0.5) : 0;
      }
    }
    kept.set(key, values);
    return values;
  };
  return {
    requireType: () => {},
    requireLevels: () => {},
    forcing: () => Promise.reject(new Error('routes do not ask for it')),
    planes: async (_, hour, flightLevels) =>
      flightLevels.map((level) => {
        if (!FLIGHT_LEVELS.includes(level)) throw new RangeError(`FL ${level} has no grid`);
        return { values: plane(hour, level), cellsPerDegree: CELLS_PER_DEGREE };
      }),
  };
}

/** The shortest of some rounds after one that warms up, and the least time of all threads. */
async function best(work: () => unknown): Promise<{ ms: number; cpuMs: number }> {
  await work();
  let min = { ms: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY };
  for (let k = 0; k < ROUNDS; k++) {
    const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
    await work();
    const { user, system } = process.cpuUsage(cpuBefore);
    min = {
      ms: Math.min(min.ms, performance.now() - began),
      cpuMs: Math.min(min.cpuMs, (user + system) / 1000),
    };
  }
  return min;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
