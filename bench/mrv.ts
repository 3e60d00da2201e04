/**
 * `contrails mrv report` on an operator's month, then `mrv verify`: synthetic flights within Europe with a take-off mass for every
 * third and measured fuel for every fourth, so effects are computed too. Weather is synthetic, one degree.
 *
 * `cpu` is the time of all threads: on a machine with other work, half of it is what two free cores would take.
 *
 * BENCH_FLIGHTS sets how many flights there are (10,000).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { worldAirports } from '@contrails/flights';

const FLIGHTS = Number(process.env.BENCH_FLIGHTS ?? 10_000);
const AIRPORTS = ['EDDF', 'LFPG', 'LEMD', 'LIRF', 'EHAM', 'ESSA', 'LPPT', 'EPWA', 'LGAV', 'EIDW'];
/** 10,000 flights in a month; fewer have the same distance, so batches see the same weather. */
const SPACING_MS = 255_000;
const START_MS = Date.UTC(2025, 0, 1);
const SPEED_DEG_MIN = 0.12;
const CONFIG =
  'met: { sources: [ { name: bench, kind: synthetic, resolution: 1 } ] }\nworkers: { threads: 2 }\n';
const PROGRAM = fileURLToPath(new URL('../packages/cli/bin/contrails.mjs', import.meta.url));
const MEASURE = "data:text/javascript,process.on('exit', () => process.send?.(process.resourceUsage()))";

const folder = mkdtempSync(join(tmpdir(), 'bench-mrv-'));
const inputs = { flights: join(folder, 'flights.csv'), trajectories: join(folder, 'trajectories.csv') };
try {
  writeFileSync(join(folder, 'contrails.yaml'), CONFIG);
  writeTables();
  const period = ['--operator', 'XZ', '--from', '2025-01-01', '--to', '2025-01-31'];
  const report = await contrails('report', ...period, ...tables(), '--output', 'pack');
  const summary = JSON.parse(readFileSync(join(folder, 'pack', 'summary.json'), 'utf8'));
  const verified = await contrails('verify', 'pack');
  console.table([
    { what: `report of ${summary.flights.reported} flights`, ...report, wanted: '≤ 180 s' },
    { what: 'verification of 25 of them', ...verified, wanted: '' },
  ]);
} finally {
  rmSync(folder, { recursive: true });
}

function tables(): string[] {
  return ['--flights', inputs.flights, '--trajectories', inputs.trajectories];
}

async function contrails(...args: readonly string[]) {
  const startMs = performance.now();
  const child = fork(PROGRAM, ['mrv', ...args], {
    cwd: folder,
    execArgv: ['--import', MEASURE],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [[usage], [code]] = (await Promise.all([once(child, 'message'), once(child, 'exit')])) as [
    [NodeJS.ResourceUsage],
    [number | null],
  ];
  if (code !== 0) throw new Error(`contrails mrv ${args[0]} ended with ${code}`);
  return {
    s: Number(((performance.now() - startMs) / 1000).toFixed(1)),
    cpu: Number(((usage.userCPUTime + usage.systemCPUTime) / 1e6).toFixed(1)),
    peakMib: Math.round(usage.maxRSS / 1024),
  };
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
