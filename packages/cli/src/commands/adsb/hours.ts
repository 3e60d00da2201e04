import { DAY_MS, HOUR_MS, hourOf, isoDate, isoHour } from '@contrails/runtime';
import type { HourRecord } from '@contrails/service/telemetry';
import type { Command } from 'commander';
import { example, timeFlag } from '../../flags.ts';
import { jsonTime, print, printJson, say, shownTime, table } from '../../output.ts';
import { withTelemetry } from './with-telemetry.ts';

const DEFAULT_DAYS = 2;

interface HoursFlags {
  readonly from?: string;
  readonly to?: string;
  readonly day?: string;
  readonly json?: boolean;
}

export function defineHours(parent: Command): void {
  const command = parent
    .command('hours')
    .description('list hours of telemetry: their state, rows, aircraft and what was refused')
    .option('--from <time>', `first hour (default: ${DEFAULT_DAYS} days before the last)`)
    .option('--to <time>', 'last hour (default: now)')
    .option('--day <date>', 'completeness of one day instead, such as 2026-01-01')
    .option('--json', 'print JSON')
    .action(async (flags: HoursFlags) => {
      if (flags.day !== undefined) return printDay(command, await timeFlag('--day', flags.day));
      const toMs = flags.to === undefined ? Date.now() : await timeFlag('--to', flags.to);
      const fromMs =
        flags.from === undefined ? toMs - DEFAULT_DAYS * DAY_MS : await timeFlag('--from', flags.from);
      const hours = await withTelemetry(command, ({ database }, _rules, { listHours }) =>
        listHours(database, hourOf(fromMs), hourOf(toMs) + HOUR_MS),
      );
      if (flags.json) printJson(hours.map(jsonHour));
      else if (hours.length > 0) printHours(hours);
      else say('no hours in this time; --from and --to choose another');
    });
  example(
    command,
    'contrails adsb hours',
    'contrails adsb hours --from 2026-01-01 --to 2026-01-01T23 --json',
    'contrails adsb hours --day 2026-01-01',
  );
}

export function defineReopen(parent: Command): void {
  const command = parent
    .command('reopen')
    .description('let a closed hour take late reports again')
    .argument('<hour>', 'the hour, such as 2026-01-01T06')
    .action(async (text: string) => {
      const timeMs = await timeFlag('<hour>', text);
      const manifest = await withTelemetry(command, (services, _rules, { reopenHour }) =>
        reopenHour(services, hourOf(timeMs), Date.now()),
      );
      print(`${manifest.hour} takes late reports again`);
    });
  example(command, 'contrails adsb reopen 2026-01-01T06');
}

async function printDay(command: Command, timeMs: number): Promise<void> {
  const dayMs = Math.floor(timeMs / DAY_MS) * DAY_MS;
  const { gaps, ...day } = await withTelemetry(command, (services, _rules, { completenessOfDay }) =>
    completenessOfDay(services, dayMs),
  );
  printJson({
    date: isoDate(dayMs),
    ...day,
    gaps: gaps.map(({ source, fromMs, toMs, reason }) => ({
      source,
      from: jsonTime(fromMs),
      to: jsonTime(toMs),
      reason,
    })),
  });
}

function printHours(hours: readonly HourRecord[]): void {
  const rows = hours.map((hour) => [
    isoHour(hour.hourMs),
    hour.state,
    String(hour.generation),
    String(hour.rows),
    String(hour.aircraft),
    shownTime(hour.sealedMs),
    String(hour.pending),
    Object.entries(hour.sources)
      .map(([source, n]) => `${source} ${n}`)
      .join(', '),
  ]);
  print(table(['hour', 'state', 'generation', 'rows', 'aircraft', 'sealed', 'pending', 'sources'], rows));
}

function jsonHour({ hourMs, changedMs, firstSealedMs, sealedMs, reopenedMs, closedMs, ...hour }: HourRecord) {
  return {
    hour: jsonTime(hourMs),
    ...hour,
    changed: jsonTime(changedMs),
    first_sealed: jsonTime(firstSealedMs),
    sealed: jsonTime(sealedMs),
    reopened: jsonTime(reopenedMs),
    closed: jsonTime(closedMs),
  };
}
