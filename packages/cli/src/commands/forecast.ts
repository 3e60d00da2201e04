import type { ForecastOutcome } from '@contrails/service/forecast';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { configureWeather, openLog } from '../configure.ts';
import { collect, example, timeFlag } from '../flags.ts';
import { jsonTime, print, printJson, say, shownTime, table } from '../output.ts';
import { defineForecastScore } from './forecast-score.ts';

interface RunFlags {
  readonly referenceTime?: string;
  readonly hours?: readonly [number, number];
  readonly class?: readonly string[];
  readonly source?: string;
  readonly demo?: boolean;
  readonly json?: boolean;
}

export function defineForecast(program: Command): void {
  const forecast = program
    .command('forecast')
    .description('contrail grids, forecast grids and regions of a weather run, and how good they are');
  example(forecast, 'contrails forecast run --hours 1..6');
  defineRun(forecast);
  defineForecastScore(forecast);
}

function defineRun(parent: Command): void {
  const command = parent
    .command('run')
    .description('compute and publish cocip grids, forecast grids and regions; goes on where it stopped')
    .option('--reference-time <time>', 'start of the weather run (default: the newest)')
    .option('--hours <range>', 'hours after the start of the run, such as 1..12 or 6', hourRange)
    .option('--class <class>', 'only this aircraft class; may be repeated', collect)
    .option('--source <name>', 'weather source (forecast.source)')
    .option('--demo', 'synthetic weather on a coarse grid where no source is configured')
    .option('--json', 'print JSON')
    .action(async (flags: RunFlags) => {
      const config = await configureWeather(command, flags.demo);
      const [{ runForecast }, { openServices }, { watchJobs }] = await Promise.all([
        import('@contrails/service/forecast'),
        import('@contrails/service/services'),
        import('../watch-jobs.ts'),
      ]);
      const wanted = {
        ...(flags.referenceTime === undefined
          ? {}
          : { referenceTimeMs: await timeFlag('--reference-time', flags.referenceTime) }),
        ...(flags.hours && { leadHours: [...flags.hours] }),
        ...(flags.class && { classes: [...flags.class] }),
        ...(flags.source && { source: flags.source }),
      };
      const outcome = await runForecast(openServices, config, await openLog(config), wanted, watchJobs);
      if (flags.json) printJson(jsonOutcome(outcome));
      else printOutcome(outcome);
      if (outcome.jobs.some(({ state }) => state !== 'done')) process.exitCode = 1;
    });
  example(
    command,
    'contrails forecast run',
    'contrails forecast run --reference-time 2026-01-01T00 --hours 1..24 --class default',
  );
}

function hourRange(text: string): readonly [number, number] {
  const [, first = '', last = first] = /^(\d{1,3})(?:\.\.(\d{1,3}))?$/.exec(text) ?? [];
  if (first !== '' && Number(first) <= Number(last)) return [Number(first), Number(last)];
  throw new InvalidArgumentError('Give hours such as 6 or 1..12.');
}

function printOutcome({ plan, publishedBefore, jobs }: ForecastOutcome): void {
  const ended = (wanted: string) => jobs.filter(({ state }) => state === wanted);
  if (plan.tasks.length === 0) {
    say(
      `the run of ${shownTime(plan.referenceTimeMs)} has no hour that can be computed: contrails are followed for 12 hours, and the weather ends before`,
    );
    return;
  }
  print(
    table(
      ['run', 'source', 'tasks', 'before', 'done', 'failed', 'cancelled'],
      [
        [
          shownTime(plan.referenceTimeMs),
          plan.source,
          String(plan.tasks.length),
          String(publishedBefore),
          ...['done', 'failed', 'cancelled'].map((state) => String(ended(state).length)),
        ],
      ],
    ),
  );
  for (const { id, error } of ended('failed')) say(`${id}: ${error ?? 'failed'}`);
}

function jsonOutcome({ plan, publishedBefore, jobs }: ForecastOutcome) {
  return {
    run: jsonTime(plan.referenceTimeMs),
    source: plan.source,
    parts: plan.tasks.length,
    published_before: publishedBefore,
    jobs: jobs.map(({ id, state, payload, result, error }) => ({ id, state, payload, result, error })),
  };
}
