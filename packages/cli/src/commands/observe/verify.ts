import { isoDate } from '@contrails/runtime';
import type { Config } from '@contrails/service/config';
import type { Verification } from '@contrails/service/observations/verification';
import type { Command } from 'commander';
import { configure, withServices } from '../../configure.ts';
import { example, timeFlag } from '../../flags.ts';
import { print, printJson, table } from '../../output.ts';

interface VerifyFlags {
  readonly date: string;
  readonly satellite?: string;
  readonly json?: boolean;
}

export function defineVerify(parent: Command): void {
  const command = parent
    .command('verify')
    .description('contrails that a satellite saw on a day against those of the inventory, by hour and region')
    .requiredOption('--date <date>', 'day, UTC')
    .option('--satellite <name>', 'satellite (default: the configured one)')
    .option('--json', 'print JSON')
    .action(async (flags: VerifyFlags) => {
      const config = await configure(command);
      const { verifyDate } = await import('@contrails/service/observations/verification');
      const date = isoDate(await timeFlag('--date', flags.date));
      const satellite = await satelliteOf(config, flags.satellite);
      const found = await withServices(config, (services) => verifyDate(services, satellite, date));
      if (flags.json) printJson(found);
      else print(shownVerification(found));
    });
  example(
    command,
    'contrails observe verify --date 2026-01-01',
    'contrails observe verify --date 2026-01-01 --json',
  );
}

/** The configured satellite unless one is given. */
async function satelliteOf(config: Config, given: string | undefined) {
  const [{ observationRules, SATELLITES }, { UsageError }] = await Promise.all([
    import('@contrails/service/observations/config'),
    import('@contrails/runtime/errors'),
  ]);
  const named = given ?? observationRules(config.observations).satellite;
  const known = SATELLITES.find((one) => one === named);
  if (known !== undefined) return known;
  throw new UsageError(
    named === undefined
      ? `no satellite is configured; give --satellite (${SATELLITES.join(', ')})`
      : `--satellite is ${named}; choose from ${SATELLITES.join(', ')}`,
  );
}

function shownVerification({ date, satellite, frames, scores, regions, is_synthetic }: Verification): string {
  const km = (metres: number) => (metres / 1000).toFixed(0);
  const share = (value: number | null) => (value === null ? '-' : value.toFixed(2));
  const hours = Map.groupBy(regions, ({ hour }) => hour);
  const rows = Array.from(hours, ([hour, of]) => [
    hour.slice(0, 16),
    String(Math.max(...of.map((one) => one.frames))),
    String(of.length),
    km(of.reduce((sum, { observed_length_m }) => sum + observed_length_m, 0)),
    km(of.reduce((sum, { modelled_length_m }) => sum + modelled_length_m, 0)),
  ]);
  return [
    `${date}, ${satellite}${is_synthetic ? ' (synthetic images)' : ''}: ${frames} frames`,
    `hit rate ${share(scores.hit_rate)}, false-alarm ratio ${share(scores.false_alarm_ratio)} (${scores.hits} hits, ${scores.misses} misses, ${scores.false_alarms} false alarms, ${scores.correct_negatives} correct negatives)`,
    '',
    table(['hour', 'frames', 'regions', 'observed km', 'modelled km'], rows),
  ].join('\n');
}
