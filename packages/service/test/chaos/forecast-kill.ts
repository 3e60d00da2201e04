import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createLog } from '@contrails/platform/log';
import { RUN_DELAY_MS, RUN_INTERVAL_MS } from '@contrails/testbed/weather';
import { type PostgresDatabases, startPostgres } from '../../../../test/support/postgres.ts';
import { startS3 } from '../../../../test/support/s3.ts';
import { until } from '../../../../test/support/until.ts';
import { type Config, loadConfig } from '../../src/configuration.ts';
import { makePlan } from '../../src/families/forecast/plan/plan.ts';
import { taskKind } from '../../src/forecast-products/jobs.ts';
import { openServices } from '../../src/open.ts';
import type { Services } from '../../src/services.ts';
import { COARSE } from '../families/forecast/support/forecast-server.ts';
import { type ServiceProcess, type ServiceSettings, spawnService, startService } from '../support/service.ts';
import { forecastLosses } from './forecast-kill-losses.ts';
import { watchAvailability } from './forecast-kill-watch.ts';
import { allJobs } from './jobs-audit.ts';

export interface ForecastKillOptions {
  /** Workers to kill. */
  readonly rounds: number;
  /** Hours of the run. */
  readonly hours: number;
  /** How long the bucket cannot be reached, half-way. */
  readonly outageMs: number;
  /** Its own server unless given. */
  readonly database?: PostgresDatabases;
  /** At once. */
  readonly workers: number;
}

export interface ForecastKillFigures {
  readonly kills: number;
  readonly tasks: number;
  readonly products: number;
  readonly takenOver: number;
  readonly mostAttempts: number;
  /** How often what a server said to be available was asked for. */
  readonly looks: number;
  readonly seconds: number;
  /** What was lost, torn, done twice or wrongly promised; empty when all is well. */
  readonly losses: string[];
}

const SERVERS = 2;
const FAR_MS = 120_000;
/** For a whole run after the last kill. */
const MAX_DRAIN_SECONDS = 3_600;

/**
 * Two servers and some workers on PostgreSQL and a bucket compute a forecast while workers are killed at random and the
 * bucket goes away for a while; at the end every product must be there once, with the right checksum.
 */
export async function killForecastWorkers(options: ForecastKillOptions): Promise<ForecastKillFigures> {
  await untilNextRunIsFar();
  const startedMs = performance.now();
  const directory = await mkdtemp(join(tmpdir(), 'contrails-forecast-kill-'));
  const [postgres, s3] = await Promise.all([options.database ?? startPostgres(), startS3()]);
  const processes: ServiceProcess[] = [];
  let services: Services | undefined;
  try {
    const settings: ServiceSettings = {
      data: `s3://${await s3.createBucket()}/forecasts`,
      database: await postgres.createDatabase(),
      more: {
        ...COARSE,
        CONTRAILS_FORECAST__HOURS: String(options.hours),
        CONTRAILS_S3__ENDPOINT: s3.access.endpoint,
        CONTRAILS_S3__REGION: s3.access.region,
        CONTRAILS_S3__PATH_STYLE: 'true',
        CONTRAILS_S3__ACCESS_KEY_ID: s3.access.accessKeyId,
        CONTRAILS_S3__SECRET_ACCESS_KEY: s3.access.secretAccessKey,
        CONTRAILS_WORKERS__THREADS: '1',
        CONTRAILS_WORKERS__JOBS: '1',
        CONTRAILS_LOG__LEVEL: 'error',
      },
    };
    const config = configOf(settings, directory);
    services = await openServices(config, createLog(config.log));
    const plan = await makePlan(await services.met.open(), config, {}, Date.now());
    const { text: key } = await services.keys.create({ name: 'chaos', ratePerMinute: 1_000_000 });
    for (let k = 0; k < SERVERS; k++) processes.push(await startService('serve', settings));
    const watches = processes.map(({ address }) => watchAvailability(address, key));
    const workers = await Promise.all(
      Array.from({ length: options.workers }, () => startService('worker', settings)),
    );
    processes.push(...workers);

    for (let kills = 0; kills < options.rounds; kills += 1) {
      if (kills === Math.floor(options.rounds / 2)) {
        s3.pause();
        await sleep(options.outageMs);
        s3.resume();
      }
      const victim = Math.floor(Math.random() * options.workers);
      // Most at work, some while they still start.
      if (Math.random() < 0.8) await workers[victim]?.ready;
      await sleep(Math.random() * 2_000);
      await workers[victim]?.kill();
      const next = await spawnService('worker', settings);
      workers[victim] = next;
      processes.push(next);
    }

    await untilAllDone(services);
    await until('both servers list an hour', () => watches.every((watch) => watch.hasLooked()));
    const watched = await Promise.all(watches.map((watch) => watch.end()));
    const records = (await allJobs(services.jobs)).filter(({ kind }) => kind === taskKind.name);
    const found = await forecastLosses(services, plan?.tasks.map(({ task }) => task) ?? [], records);
    return {
      kills: options.rounds,
      tasks: records.length,
      products: found.products,
      takenOver: records.filter(({ attempt }) => attempt > 1).length,
      mostAttempts: Math.max(...records.map(({ attempt }) => attempt)),
      looks: watched.reduce((sum, { looks }) => sum + looks, 0),
      seconds: Math.round((performance.now() - startedMs) / 1000),
      losses: [...found.losses, ...watched.flatMap(({ broken }) => broken)],
    };
  } finally {
    await Promise.all(processes.map((process) => process.kill()));
    await services?.close();
    await Promise.all([postgres.close(), s3.close()]);
    await rm(directory, { recursive: true, force: true });
  }
}

/** Weather runs come every six hours, an hour late; one that comes in between would be planned as well. */
async function untilNextRunIsFar(): Promise<void> {
  const leftMs = RUN_INTERVAL_MS - ((Date.now() - RUN_DELAY_MS) % RUN_INTERVAL_MS);
  if (leftMs < FAR_MS) await sleep(leftMs + 1_000);
}

function configOf({ data, database, more }: ServiceSettings, directory: string): Config {
  const environment = { CONTRAILS_DATA: data, CONTRAILS_DATABASE: database ?? '', ...more };
  return loadConfig({ environment, directory });
}

/** The plan has been made, and none of its jobs is left. */
async function untilAllDone({ jobs }: Services): Promise<void> {
  const allAreDone = async () => {
    const records = (await allJobs(jobs)).filter(({ kind }) => kind.startsWith('forecast.'));
    const open = records.filter(({ state }) => state !== 'done' && state !== 'failed');
    return records.some(({ kind }) => kind === taskKind.name) && open.length === 0;
  };
  await until('no job of the forecast is left', allAreDone, { seconds: MAX_DRAIN_SECONDS, pauseMs: 250 });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '100' },
      hours: { type: 'string', default: '59' },
    },
  });
  const figures = await killForecastWorkers({
    rounds: Number(values.rounds),
    hours: Number(values.hours),
    outageMs: 20_000,
    workers: 3,
  });
  console.log(JSON.stringify(figures, null, 2));
  process.exitCode = figures.losses.length === 0 ? 0 : 1;
}
