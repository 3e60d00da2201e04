import { JOB_STATES, type JobRecord, type JobState, type Jobs } from '@contrails/platform/jobs/jobs';
import { type Command, Option } from 'commander';
import { configureExisting, openLog } from '../configure.ts';
import { example, integer } from '../flags.ts';
import { jsonTime, print, printJson, say, shownTime, table } from '../output.ts';

export function defineJobs(program: Command): void {
  const jobs = program.command('jobs').description('background jobs: their state, attempts and errors');
  example(jobs, 'contrails jobs list --state failed');
  defineList(jobs);
  defineShow(jobs);
  defineWatch(jobs);
  defineRetry(jobs);
  defineCancel(jobs);
}

function defineList(parent: Command): void {
  const command = parent
    .command('list')
    .description('list jobs, newest first')
    .addOption(new Option('--state <state>', 'only jobs in this state').choices(JOB_STATES))
    .option('--kind <kind>', 'only jobs of this kind')
    .option('--limit <n>', 'maximum number of jobs to list', integer(1, 100_000), 100)
    .option('--json', 'print JSON')
    .action(async (options: { state?: JobState; kind?: string; limit: number; json?: boolean }) => {
      const { state, kind, limit } = options;
      const query = { ...(state && { state }), ...(kind && { kind }) };
      const found = await withJobs(command, (jobs) => takeJobs(jobs, query, limit));
      if (options.json) printJson(found.map(jsonJob));
      else await printJobs(found);
    });
  example(command, 'contrails jobs list --state failed', 'contrails jobs list --kind maintenance --json');
}

function defineShow(parent: Command): void {
  const command = parent
    .command('show')
    .description('show everything known of one job')
    .argument('<id>', 'id of the job')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { json?: boolean }) => {
      const job = await withJobs(command, (jobs) => findJob(jobs, id));
      if (options.json) printJson(jsonJob(job));
      else
        print(
          Object.entries(jsonJob(job))
            .map(([name, value]) => `${name.padEnd(12)}${shownValue(value)}`)
            .join('\n'),
        );
    });
  example(command, 'contrails jobs show 0b5c8a52-7a86-4d3b-9a55-0f4a5c1f2d11');
}

function defineWatch(parent: Command): void {
  const command = parent
    .command('watch')
    .description('follow jobs until they have ended: those named, or all that are under way')
    .argument('[ids...]', 'ids of jobs')
    .action(async (ids: string[]) => {
      const { watchJobs } = await import('../watch-jobs.ts');
      const ended = await withJobs(command, async (jobs) => {
        const chosen = await Promise.all(ids.map((id) => findJob(jobs, id)));
        return watchJobs(jobs, ids.length > 0 ? chosen : await jobsUnderWay(jobs));
      });
      await printJobs(ended);
      if (ended.some(({ state }) => state !== 'done')) process.exitCode = 1;
    });
  example(command, 'contrails jobs watch', 'contrails jobs watch 0b5c8a52-7a86-4d3b-9a55-0f4a5c1f2d11');
}

function defineRetry(parent: Command): void {
  const command = parent
    .command('retry')
    .description('queue failed or cancelled jobs again, with all their attempts')
    .argument('[ids...]', 'ids of jobs')
    .option('--all-failed', 'every failed job instead of named ones')
    .option('--kind <kind>', 'with --all-failed: only jobs of this kind')
    .action(async (ids: string[], options: { allFailed?: boolean; kind?: string }) => {
      if (ids.length > 0 === (options.allFailed === true)) {
        command.error('error: name the jobs to retry, or give --all-failed');
      }
      await withJobs(command, async (jobs) => {
        if (options.allFailed) return print(`${await jobs.retryFailed(options.kind)} jobs queued again`);
        for (const id of ids) {
          await jobs.retry(id);
          print(`${id} queued again`);
        }
      });
    });
  example(
    command,
    'contrails jobs retry 0b5c8a52-7a86-4d3b-9a55-0f4a5c1f2d11',
    'contrails jobs retry --all-failed --kind maintenance',
  );
}

function defineCancel(parent: Command): void {
  const command = parent
    .command('cancel')
    .description('end jobs that have not ended, and the jobs that wait for them')
    .argument('<ids...>', 'ids of jobs')
    .action(async (ids: string[]) => {
      await withJobs(command, async (jobs) => {
        for (const id of ids) {
          await jobs.cancel(id);
          print(`${id} cancelled`);
        }
      });
    });
  example(command, 'contrails jobs cancel 0b5c8a52-7a86-4d3b-9a55-0f4a5c1f2d11');
}

async function withJobs<T>(command: Command, work: (jobs: Jobs) => Promise<T>): Promise<T> {
  const config = await configureExisting(command);
  const { openJobsOnly } = await import('@contrails/service/services');
  const services = await openJobsOnly(config, await openLog(config));
  try {
    return await work(services.jobs);
  } finally {
    await services.close();
  }
}

async function findJob(jobs: Jobs, id: string): Promise<JobRecord> {
  const job = await jobs.get(id);
  if (job !== undefined) return job;
  const { NotFoundError } = await import('@contrails/runtime/errors');
  throw new NotFoundError(`there is no job ${id}; "contrails jobs list" shows those there are`);
}

async function takeJobs(
  jobs: Jobs,
  query: { state?: JobState; kind?: string },
  limit: number,
): Promise<JobRecord[]> {
  const found: JobRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await jobs.list({
      ...query,
      limit: Math.min(limit - found.length, 1000),
      ...(cursor && { cursor }),
    });
    found.push(...page.jobs);
    cursor = page.cursor;
  } while (cursor !== undefined && found.length < limit);
  return found;
}

async function jobsUnderWay(jobs: Jobs): Promise<JobRecord[]> {
  const underWay: readonly JobState[] = ['running', 'queued', 'waiting'];
  return (await Promise.all(underWay.map((state) => takeJobs(jobs, { state }, 1000)))).flat();
}

async function printJobs(jobs: readonly JobRecord[]): Promise<void> {
  if (jobs.length === 0) {
    say('no jobs');
    return;
  }
  const { loadSubjects } = await import('@contrails/service/services');
  const subjectOf = await loadSubjects();
  const headings = ['id', 'kind', 'state', 'attempt', 'progress', 'about', 'created', 'error'];
  const rows = jobs.map((job) => [
    job.id,
    job.kind,
    job.state,
    `${job.attempt}/${job.attempts}`,
    `${Math.floor(job.progress * 100)} %`,
    subjectOf(job) || '-',
    shownTime(job.createdMs),
    job.error ?? '',
  ]);
  print(table(headings, rows));
}

function jsonJob({ createdMs, runAtMs, startedMs, finishedMs, ...job }: JobRecord) {
  return {
    ...job,
    created: jsonTime(createdMs),
    run_at: jsonTime(runAtMs),
    started: jsonTime(startedMs),
    finished: jsonTime(finishedMs),
  };
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
