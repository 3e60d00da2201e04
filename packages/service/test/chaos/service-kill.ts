import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openJobs } from '@contrails/platform/jobs';
import { openStore } from '@contrails/platform/store';
import { pino } from 'pino';
import { freePort } from '../../../../test/support/free-port.ts';
import { type PostgresDatabases, startPostgres } from '../../../../test/support/postgres.ts';
import { openDatabase } from '../../src/migrations.ts';
import { createKey } from '../support/client.ts';
import { type Role, type ServiceProcess, spawnService } from '../support/service.ts';
import { allJobs, countCompletions, drain } from './jobs-audit.ts';
import { startClients } from './service-kill-clients.ts';
import { findLosses } from './service-kill-losses.ts';

export interface ServiceKillOptions {
  readonly rounds: number;
  readonly database: 'embedded' | 'postgres';
  /** Its own server unless given. */
  readonly server?: PostgresDatabases;
  /** Two servers and two workers unless given. */
  readonly roles?: readonly Role[];
}

export interface ServiceKillFigures {
  readonly database: string;
  readonly rounds: number;
  /** Processes killed with SIGKILL, and told to stop with SIGTERM. */
  readonly kills: number;
  readonly stops: number;
  /** Requests by what became of them. */
  readonly requests: Readonly<Record<string, number>>;
  /** Acknowledged by the service: products written, steps counted in the shared manifest. */
  readonly products: number;
  readonly steps: number;
  readonly jobs: number;
  /** Jobs that needed more than one attempt because their worker was killed. */
  readonly jobsTakenOver: number;
  readonly seconds: number;
  readonly drainSeconds: number;
  /** What was lost, torn, done twice or answered wrongly; empty when all is well. */
  readonly losses: string[];
}

const ROLES: readonly Role[] = ['serve', 'serve', 'worker', 'worker'];
const CLIENTS = 4;
const MAX_SERVED = 50;
const MAX_PAUSE_MS = 30;
/** The processes end within 30 s of being told; a busy machine may take its time to notice. */
const STOP_LIMIT_MS = 60_000;

/**
 * Kills servers and workers at random while clients write, read and make jobs. At the end everything that was
 * acknowledged must be there, whole and once, and no answer may have been other than right or 503.
 */
export async function killService({
  rounds,
  database: form,
  server,
  roles = ROLES,
}: ServiceKillOptions): Promise<ServiceKillFigures> {
  const startedMs = performance.now();
  const data = await mkdtemp(join(tmpdir(), 'contrails-service-kill-'));
  const postgres = form === 'postgres' ? (server ?? (await startPostgres())) : undefined;
  const setting = (await postgres?.createDatabase()) ?? 'embedded';
  const database = await openDatabase({ database: setting, directory: data });
  const jobs = await openJobs(database, { database: setting, log: pino({ level: 'error' }) });
  await countCompletions(database);
  const { text: key } = await createKey(
    { data, database: setting },
    { ratePerMinute: 10_000_000, concurrency: 100_000 },
  );
  const cast = await createCast({ data, database: setting }, roles);
  try {
    const clients = startClients(CLIENTS, cast.addresses, key);
    for (let round = 0; round < rounds; round += 1) {
      // Most strikes fall into the middle of work, some while processes start.
      if (Math.random() < 0.8) await clients.served(Math.floor(Math.random() * MAX_SERVED));
      await cast.strike();
    }
    const drainMs = performance.now();
    await cast.allReady();
    await clients.stop();
    await drain(jobs);
    const drainSeconds = seconds(drainMs);
    await cast.stopAll();

    const records = await allJobs(jobs);
    // Opened again, as after a crash of everything.
    const store = await openStore({ kind: 'directory', path: join(data, 'store') });
    const { ledger } = clients;
    const losses = await findLosses({ database, store, directory: data, records, ledger });
    await store.close();
    return {
      database: form,
      rounds,
      kills: cast.kills,
      stops: cast.stops,
      requests: Object.fromEntries(ledger.outcomes),
      products: ledger.products.size,
      steps: [...ledger.steps.values()].reduce((sum, step) => sum + step, 0),
      jobs: records.length,
      jobsTakenOver: records.filter((job) => job.attempt > 1).length,
      seconds: seconds(startedMs),
      drainSeconds,
      losses: [...ledger.violations, ...cast.violations, ...losses],
    };
  } finally {
    await cast.killAll();
    await jobs.close();
    await database.close();
    await postgres?.close();
    await rm(data, { recursive: true, force: true });
  }
}

/** The servers and workers of one service; whoever ends is started again at its old address. */
async function createCast(settings: { data: string; database: string }, roles: readonly Role[]) {
  const ports = await Promise.all(roles.map((role) => (role === 'worker' ? 0 : freePort())));
  const spawn = (index: number) =>
    spawnService(roles[index] ?? 'serve', { ...settings, port: ports[index] ?? 0 });
  const members = await Promise.all(roles.map((_, index) => spawn(index)));
  const violations: string[] = [];
  let kills = 0;
  let stops = 0;

  const killOne = async (index: number) => {
    kills += 1;
    await members[index]?.kill();
    members[index] = await spawn(index);
  };
  const stopOne = async (index: number) => {
    stops += 1;
    const member = members[index];
    if (member === undefined) return;
    await member.ready;
    await stop(member, violations);
    members[index] = await spawn(index);
  };
  const everyone = () => roles.map((_, index) => index);

  return {
    addresses: members.filter(({ role }) => role !== 'worker').map(({ address }) => address),
    violations,
    get kills() {
      return kills;
    },
    get stops() {
      return stops;
    },
    /** Mostly one is killed; sometimes all at once, or one is stopped in good order. */
    async strike() {
      const index = Math.floor(Math.random() * members.length);
      await sleep(Math.random() * MAX_PAUSE_MS);
      const fate = Math.random();
      if (fate < 0.1) await Promise.all(everyone().map(killOne));
      else if (fate < 0.2) await stopOne(index);
      else await killOne(index);
    },
    allReady: () => Promise.all(members.map((member) => member.ready)),
    stopAll: () => Promise.all(members.map((member) => stop(member, violations))),
    killAll: () => Promise.all(members.map((member) => member.kill())),
  };
}

/** Notes it when a process that is told to stop does not end by itself and well. */
async function stop(member: ServiceProcess, violations: string[]): Promise<void> {
  const timer = new AbortController();
  member.send('SIGTERM');
  const late = sleep(STOP_LIMIT_MS, 'too late' as const, { signal: timer.signal }).catch(
    () => 'aborted' as const,
  );
  const end = await Promise.race([member.ended, late]);
  timer.abort();
  if (end !== 0)
    violations.push(`a ${member.role} that was told to stop ended with ${end}:\n${member.log()}`);
  if (end === 'too late') await member.kill();
}

function seconds(sinceMs: number): number {
  return Math.round((performance.now() - sinceMs) / 1000);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '200' },
      database: { type: 'string', default: 'embedded' },
    },
  });
  const form = values.database === 'postgres' ? 'postgres' : 'embedded';
  const figures = await killService({ rounds: Number(values.rounds), database: form });
  process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`);
  process.exitCode = figures.losses.length === 0 ? 0 : 1;
}
