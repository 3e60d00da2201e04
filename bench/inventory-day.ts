/**
 * A global day through the whole inventory: hours of telemetry are imported and built, and the units of the day run on the
 * queue until its tables are published. Prints the two tables of docs/scale-out.md: seconds of each step, peak memory and
 * bytes read, and what they mean for a day of 100,000 flights on more cores.
 *
 * BENCH_FLIGHTS=100000 takes a day of the world; BENCH_RESOLUTION is that of the synthetic weather in degrees, BENCH_JOBS how
 * many units run at once, BENCH_SHARDS into how many each step is divided, BENCH_DATA where the data goes (some 10 GB for
 * 100,000 flights, in the temporary directory unless it is given).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDuckDb } from '@contrails/formats';
import { createLog } from '@contrails/platform/log';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { type Config, loadConfig } from '../packages/service/src/configuration.ts';
import { planDate } from '../packages/service/src/families/inventory/run/plan.ts';
import { runDates } from '../packages/service/src/families/inventory/run-now.ts';
import {
  buildDueHours,
  importFile,
  telemetryRules,
} from '../packages/service/src/families/telemetry/index.ts';
import { readRunManifest } from '../packages/service/src/inventory-store/manifest.ts';
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
const WORLD_FLIGHTS = 100_000;
const SAMPLE_MS = 100;
let lastProgress = '';

const directory = process.env.BENCH_DATA ?? mkdtempSync(join(tmpdir(), 'contrails-bench-day-'));
mkdirSync(directory, { recursive: true });
const config = dayConfig();
const log = createLog(config.log);
const services = await openServices(config, log);
try {
  const files: string[] = [];
  const traffic = await timed('traffic is made up', () => makeTraffic(files));
  const readBefore = bytesRead();
  const rules = telemetryRules(config.telemetry);
  const imported = await timed('import', async () => {
    let records = 0;
    for (const [index, file] of files.entries()) {
      progress(`import: ${index} of ${files.length} files`);
      records += (await importFile(services, rules, file, { source: 'bench', format: 'table' })).records;
      rmSync(file);
    }
    return records;
  });
  const hours = await timed('hours', () => {
    const nowMs = () => Math.max(Date.now(), DAY_START_MS + 4 * DAY_MS);
    const onHour = (_: number, __: unknown, done: number, total: number) =>
      progress(`hours: ${done} of ${total}`);
    return buildDueHours(services, rules, { nowMs, onHour });
  });
  const clock = startClock();
  const inventory = await timed('inventory', async () => {
    await planDate(services, config, DATE);
    const [outcome] = await runDates(services, config, log, [DATE], {
      signal: new AbortController().signal,
      onProgress: (_, done, total) => progress(`${done} of ${total} units`),
    });
    return `${outcome?.state}: ${outcome?.message}`;
  });
  clock.stop();
  const manifest = await readRunManifest(services.store, DATE);
  if (manifest === undefined) throw new Error(`${DATE} was not published`);
  const stage = async (kind: string) => clock.between(await spanOfJobs(services, kind));
  const stages = {
    flights: await stage('inventory.flights'),
    model: await stage('inventory.model'),
    publish: await stage('inventory.publish'),
  };
  const { flights, minutes, legs } = manifest.completeness;
  const weather = services.met.statistics();
  const written = [manifest.summary, manifest.legs, ...Object.values(manifest.segments)];
  const cores = cpus().length;
  const shown = ({ seconds, cpuSeconds }: Spent) => `${count(seconds)} s; ${count(cpuSeconds)} s`;
  printTable(
    [
      `A synthetic day of ${count(flights.computed)} flights (${count(minutes.in_flights)} minutes), weather at ${RESOLUTION}°, ${cores} cores`,
      'seconds; processor seconds',
    ],
    [
      [`import of ${count(imported.result)} reports`, shown(imported)],
      [`building ${hours.result} hours of telemetry`, shown(hours)],
      [`flights from telemetry, ${SHARDS} units`, shown(stages.flights)],
      [`weather and models, ${SHARDS} units`, shown(stages.model)],
      ['publication of the tables, 1 unit', shown(stages.publish)],
      ['**inventory: telemetry hours to tables**', `**${shown(inventory)}**`],
      ['flights per second', round(flights.computed / inventory.seconds)],
      ['legs that are no flights', count(legs.total - flights.computed)],
      ['peak memory of the process', `${count(process.resourceUsage().maxRSS / 1024)} MiB`],
      ['… of it weather', `${count((weather?.usedBytes ?? 0) / MIB)} MiB`],
      ['hours of weather read (levels and radiation)', count(weather?.misses ?? 0)],
      ['… which took, beside other work', `${count((weather?.readMs ?? 0) / 1000)} s`],
      ['bytes read from files', `${count((bytesRead() - readBefore) / MIB)} MiB`],
      [
        'tables of flights, minutes and legs',
        `${count(written.reduce((sum, { bytes }) => sum + bytes, 0) / MIB)} MiB`,
      ],
    ],
  );
  // Weather takes the same time for any number of flights, and every process reads its own.
  const weatherSeconds = Math.min((weather?.readMs ?? 0) / 1000 / cores, stages.model.seconds);
  const scale = WORLD_FLIGHTS / flights.computed;
  const divided = scale * (stages.flights.seconds + stages.model.seconds - weatherSeconds);
  const whole = weatherSeconds + scale * stages.publish.seconds;
  const isMeasured = flights.computed > WORLD_FLIGHTS * 0.9;
  printTable(
    ['A day of 100,000 flights, telemetry hours to tables', 'Minutes'],
    [
      [
        `${cores} cores, one process, ${isMeasured ? 'measured' : 'extrapolated'}`,
        round((divided + whole) / 60),
      ],
      ...[8, 32].map((n) => [
        `${n} cores, ${n / cores} processes: ${count(divided)} s ÷ ${n / cores} + ${count(whole)} s`,
        round((divided / (n / cores) + whole) / 60),
      ]),
    ],
  );
  console.log(
    `traffic made up: ${count(traffic.result)} reports in ${count(traffic.seconds)} s; ${inventory.result}`,
  );
} finally {
  await services.close();
  if (process.env.BENCH_DATA === undefined) rmSync(directory, { recursive: true, force: true });
}

interface Spent {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

async function timed<T>(step: string, work: () => Promise<T>): Promise<Spent & { readonly result: T }> {
  progress(step);
  const [startedMs, before] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - startedMs) / 1000, cpuSeconds: (user + system) / 1e6, result };
}

function progress(text: string): void {
  const elapsed = `${Math.round(process.uptime())} s`.padStart(7);
  if (text !== lastProgress) process.stderr.write(`${elapsed}  ${text}\n`);
  lastProgress = text;
}

interface Moment {
  readonly ms: number;
  readonly cpuSeconds: number;
}

/** Notes the processor time of the process again and again, so it can be asked for later. */
function startClock() {
  const now = (): Moment => {
    const { user, system } = process.cpuUsage();
    return { ms: Date.now(), cpuSeconds: (user + system) / 1e6 };
  };
  const moments = [now()];
  const timer = setInterval(() => moments.push(now()), SAMPLE_MS);
  const cpuAt = (ms: number) =>
    (moments.find((moment) => moment.ms >= ms) ?? moments.at(-1))?.cpuSeconds ?? 0;
  return {
    stop() {
      clearInterval(timer);
      moments.push(now());
    },
    between: ([fromMs, toMs]: readonly [number, number]): Spent => ({
      seconds: (toMs - fromMs) / 1000,
      cpuSeconds: cpuAt(toMs) - cpuAt(fromMs),
    }),
  };
}

/** From the first start to the last end of jobs. */
async function spanOfJobs({ jobs }: Services, kind: string): Promise<readonly [number, number]> {
  const { jobs: list } = await jobs.list({ kind, limit: 1000 });
  return [
    Math.min(...list.map(({ startedMs }) => startedMs ?? Number.POSITIVE_INFINITY)),
    Math.max(...list.map(({ finishedMs }) => finishedMs ?? 0)),
  ];
}

/** As Markdown. */
function printTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  console.log([line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), ''].join('\n'));
}

function count(value: number): string {
  return (value < 10 ? round(value) : Math.round(value)).toLocaleString('en-US');
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
    progress(`traffic: ${hour} of ${HOURS} hours`);
    reports += await writeSyntheticHour(duckdb, fleet, { dayMs: DAY_START_MS, hourMs }, file);
    files.push(file);
  }
  duckdb.close();
  return reports;
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
  return Number(value.toPrecision(3));
}
