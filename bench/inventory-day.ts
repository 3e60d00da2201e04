/**
 * A global day through the whole inventory: hours of telemetry are imported and built, and the units of the day run on the
 * queue until its tables are published. Prints seconds of each step, peak memory and bytes read.
 *
 * BENCH_FLIGHTS=100000 takes a day of the world; BENCH_RESOLUTION is that of the synthetic weather in degrees, BENCH_JOBS how
 * many units run at once, BENCH_SHARDS into how many each step is divided, BENCH_DATA where the data goes.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuckDb } from '@contrails/formats';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { type Config, loadConfig } from '../packages/service/src/configuration.ts';
import { readRunManifest } from '../packages/service/src/families/inventory/run/manifest.ts';
import { planDate } from '../packages/service/src/families/inventory/run/plan.ts';
import { runDates } from '../packages/service/src/families/inventory/run-now.ts';
import {
  buildDueHours,
  importFile,
  telemetryRules,
} from '../packages/service/src/families/telemetry/index.ts';
import { createLog } from '../packages/service/src/log.ts';
import { openServices } from '../packages/service/src/open.ts';
import type { Services } from '../packages/service/src/services.ts';
import { fleetOfDay, writeSyntheticHour } from './support/synthetic-hours.ts';

const FLIGHTS = Number(process.env.BENCH_FLIGHTS ?? 2000);
const RESOLUTION = Number(process.env.BENCH_RESOLUTION ?? 1);
const JOBS = Number(process.env.BENCH_JOBS ?? 2);
const SHARDS = Number(process.env.BENCH_SHARDS ?? Math.max(4, Math.ceil(FLIGHTS / 4000)));
const DATE = '2024-02-29';
const DAY_START_MS = Date.parse(DATE);
/** The longest flights land so long after midnight. */
const HOURS = 44;
const MIB = 2 ** 20;

const directory = process.env.BENCH_DATA ?? mkdtempSync(join(tmpdir(), 'contrails-bench-day-'));
mkdirSync(directory, { recursive: true });
const config = dayConfig();
const log = createLog(config.log);
const services = await openServices(config, log);
try {
  const steps: { step: string; seconds: number; 'CPU s': number; what: string }[] = [];
  const timed = async (step: string, work: () => Promise<string>) => {
    const [startedMs, before] = [performance.now(), process.cpuUsage()];
    const what = await work();
    const { user, system } = process.cpuUsage(before);
    const seconds = round((performance.now() - startedMs) / 1000);
    steps.push({ step, seconds, 'CPU s': round((user + system) / 1e6), what });
    console.log(`${step}: ${seconds} s, ${what}`);
  };
  const files: string[] = [];
  await timed('traffic is made up', async () => `${await makeTraffic(files)} reports`);
  const readBefore = bytesRead();
  const rules = telemetryRules(config.telemetry);
  await timed('import', async () => {
    let records = 0;
    for (const file of files) {
      records += (await importFile(services, rules, file, { source: 'bench', format: 'table' })).records;
      rmSync(file);
    }
    return `${records} reports`;
  });
  await timed('hours', async () => {
    const nowMs = () => Math.max(Date.now(), DAY_START_MS + 4 * DAY_MS);
    return `${await buildDueHours(services, rules, { nowMs })} hours`;
  });
  await timed('inventory', async () => {
    await planDate(services, config, DATE);
    const [outcome] = await runDates(services, config, log, [DATE], {
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
    return `${outcome?.state}: ${outcome?.message}`;
  });
  const manifest = await readRunManifest(services.store, DATE);
  if (manifest === undefined) throw new Error(`${DATE} was not published`);
  steps.push(...(await jobTimes(services)));
  console.table(steps);
  const { flights, minutes, legs } = manifest.completeness;
  const weather = services.met.statistics();
  const written = [manifest.summary, manifest.legs, ...Object.values(manifest.segments)];
  const inventorySeconds = steps.find(({ step }) => step === 'inventory')?.seconds ?? Number.NaN;
  console.table([
    { what: 'flights', value: flights.computed },
    { what: 'minutes of flight', value: minutes.in_flights },
    { what: 'legs that are no flights', value: legs.total - flights.computed },
    {
      what: 'flights per second, telemetry hours to tables',
      value: round(flights.computed / inventorySeconds),
    },
    { what: 'peak memory of the process, MiB', value: round(process.resourceUsage().maxRSS / 1024) },
    { what: 'memory for weather, MiB', value: round((weather?.usedBytes ?? 0) / MIB) },
    { what: 'hours of weather read (levels and radiation)', value: weather?.misses ?? 0 },
    { what: 'seconds of reading weather', value: round((weather?.readMs ?? 0) / 1000) },
    { what: 'read from files, MiB', value: round((bytesRead() - readBefore) / MIB) },
    { what: 'tables, MiB', value: round(written.reduce((sum, { bytes }) => sum + bytes, 0) / MIB) },
  ]);
} finally {
  await services.close();
  if (process.env.BENCH_DATA === undefined) rmSync(directory, { recursive: true, force: true });
}

function dayConfig(): Config {
  const loaded = loadConfig({
    environment: {
      CONTRAILS_DATA: directory,
      CONTRAILS_LOG__LEVEL: 'error',
      CONTRAILS_WORKERS__THREADS: String(cpus().length),
      CONTRAILS_WORKERS__JOBS: String(JOBS),
      CONTRAILS_INVENTORY__SHARDS: String(SHARDS),
    },
    directory,
  });
  return {
    ...loaded,
    met: {
      ...loaded.met,
      sources: [{ name: 'synthetic', kind: 'synthetic', resolution: RESOLUTION, seed: 1 }],
    },
  };
}

async function makeTraffic(files: string[]): Promise<number> {
  const duckdb = await openDuckDb({
    memoryMiB: 2048,
    threads: 2,
    temporaryDirectory: join(directory, 'spill'),
  });
  const fleet = fleetOfDay(FLIGHTS);
  let reports = 0;
  for (let hour = 0; hour < HOURS; hour++) {
    const file = join(directory, `traffic-${hour}.parquet`);
    const hourMs = DAY_START_MS + hour * HOUR_MS;
    reports += await writeSyntheticHour(duckdb, fleet, { dayMs: DAY_START_MS, hourMs }, file);
    files.push(file);
  }
  duckdb.close();
  return reports;
}

/** From the first start to the last end of the jobs of each step. */
async function jobTimes({ jobs }: Services) {
  const steps = [];
  for (const kind of ['inventory.flights', 'inventory.model', 'inventory.publish']) {
    const { jobs: list } = await jobs.list({ kind, limit: 1000 });
    const started = Math.min(...list.map(({ startedMs }) => startedMs ?? Number.POSITIVE_INFINITY));
    const ended = Math.max(...list.map(({ finishedMs }) => finishedMs ?? 0));
    steps.push({
      step: `… ${kind}`,
      seconds: round((ended - started) / 1000),
      'CPU s': Number.NaN,
      what: `${list.length} units`,
    });
  }
  return steps;
}

/** What this process has read from files so far, also from the cache of the system. */
function bytesRead(): number {
  try {
    return Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
