/**
 * The report of an operator's month on two cores: synthetic flights within Europe with a take-off mass for every third and
 * measured fuel for every fourth, so effects are rerun too.
 *
 * `cpu` is the time of all threads: on a machine that does other work besides, half of it is what two free cores would take.
 *
 * BENCH_FLIGHTS sets how many flights there are (10,000).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCompute } from '@contrails/engine/compute';
import { DEFAULT_ACCF } from '@contrails/engine/flights/accf-settings';
import { writePack } from '@contrails/engine/mrv/pack';
import { DEFAULT_MRV } from '@contrails/engine/mrv/settings';
import { verifyPack } from '@contrails/engine/mrv/verify';
import { worldAirports } from '@contrails/flights';
import { openDuckDb } from '@contrails/formats';
import { openMet } from '@contrails/met';
import { openSynthetic } from '@contrails/testbed/weather';

const FLIGHTS = Number(process.env.BENCH_FLIGHTS ?? 10_000);
const AIRPORTS = ['EDDF', 'LFPG', 'LEMD', 'LIRF', 'EHAM', 'ESSA', 'LPPT', 'EPWA', 'LGAV', 'EIDW'];
/** 10,000 flights in a month; fewer have the same distance, so batches see the same weather. */
const SPACING_MS = 255_000;
const START_MS = Date.UTC(2025, 0, 1);
const SPEED_DEG_MIN = 0.12;

const folder = mkdtempSync(join(tmpdir(), 'bench-mrv-'));
const inputs = { flights: join(folder, 'flights.csv'), trajectories: join(folder, 'trajectories.csv') };
writeTables();

const source = openSynthetic({ name: 'bench', resolutionDeg: 1 });
const met = openMet({ sources: [source], memoryBytes: 2 ** 30 });
const compute = openCompute({ threads: 2, maxQueue: 10_000 });
const duckdb = await openDuckDb({ memoryMiB: 512, threads: 1, temporaryDirectory: join(folder, 'spill') });
const services = { met: { open: async () => met }, compute, duckdb };
const settings = {
  ...DEFAULT_MRV,
  scaling: 'exponential_boost_latitude_customization',
  accf: DEFAULT_ACCF,
} as const;
const scope = { operator: 'XZ', from: '2025-01-01', to: '2025-01-31' };
const pack = { inputs, scope, folder: join(folder, 'pack'), force: false, command: 'bench' };

const report = await timed(() => writePack(services, pack, settings));
const verified = await timed(() => verifyPack(services, pack.folder, settings, { sample: 20, seed: 0 }));
console.table([
  { what: `report of ${report.value.flights.reported} flights, s`, ...shown(report), wanted: '≤ 180' },
  { what: `verification of ${verified.value.recomputed} of them, s`, ...shown(verified), wanted: '' },
]);
if (verified.value.differences.length > 0) throw new Error(verified.value.differences[0]?.message);
duckdb.close();
await Promise.all([met.close(), compute.close()]);
rmSync(folder, { recursive: true });

async function timed<T>(work: () => Promise<T>) {
  const [startMs, start] = [performance.now(), process.cpuUsage()];
  const value = await work();
  const { user, system } = process.cpuUsage(start);
  return { value, s: (performance.now() - startMs) / 1000, cpuS: (user + system) / 1e6 };
}

function shown({ s, cpuS }: { readonly s: number; readonly cpuS: number }) {
  return { value: Number(s.toFixed(1)), cpu: Number(cpuS.toFixed(1)) };
}

function writeTables(): void {
  const flights = [
    'flight_key,operator,callsign,departure_airport,arrival_airport,departure_time,arrival_time,aircraft_type,takeoff_mass_kg,hydrogen_content_pct',
  ];
  const points = ['flight_key,time,latitude,longitude,altitude_ft'];
  for (let f = 0; f < FLIGHTS; f++) {
    const [from, to] = [AIRPORTS[f % 10], AIRPORTS[(f + 1 + (Math.floor(f / 10) % 9)) % 10]].map((icao) =>
      worldAirports().find(icao),
    );
    if (from === undefined || to === undefined) throw new Error('the airports are in the table');
    const degrees = Math.hypot(to.latitude - from.latitude, (to.longitude - from.longitude) * 0.65);
    const minutes = Math.max(20, Math.round(degrees / SPEED_DEG_MIN));
    const startMs = START_MS + Math.floor((f * SPACING_MS) / 60_000) * 60_000;
    const time = (minute: number) => new Date(startMs + minute * 60_000).toISOString();
    const mass = f % 3 === 0 ? String(60_000 + (f % 10) * 800) : '';
    const hydrogen = f % 4 === 0 ? '14.1' : '';
    flights.push(
      `f${f},XZ,XZA${f},${from.icao},${to.icao},${time(0)},${time(minutes)},A320,${mass},${hydrogen}`,
    );
    for (let minute = 0; minute <= minutes; minute++) {
      const share = minute / minutes;
      const altitude = Math.min(34_000, 12_000 + 2000 * Math.min(minute, minutes - minute));
      points.push(
        `f${f},${time(minute)},${(from.latitude + share * (to.latitude - from.latitude)).toFixed(5)},${(from.longitude + share * (to.longitude - from.longitude)).toFixed(5)},${altitude}`,
      );
    }
  }
  writeFileSync(inputs.flights, `${flights.join('\n')}\n`);
  writeFileSync(inputs.trajectories, `${points.join('\n')}\n`);
}
