import { SOURCE_FORMATS, type SourceFormat } from '@contrails/flights/source-formats';
import type { BatchReceipt, TelemetryRules, TelemetryServices } from '@contrails/service/telemetry';
import { type Command, Option } from 'commander';
import { configureNew } from '../../configure.ts';
import { example } from '../../flags.ts';
import { print, printJson, say, table } from '../../output.ts';
import { openProgress } from '../../progress.ts';
import { type Telemetry, withTelemetry } from './with-telemetry.ts';

interface ImportFlags {
  readonly format?: SourceFormat;
  readonly source: string;
  readonly dryRun?: boolean;
  readonly strict?: boolean;
  readonly build?: boolean;
  readonly json?: boolean;
}

/** What became of one file. */
interface ImportedFile {
  readonly file: string;
  readonly receipt?: BatchReceipt;
  readonly error?: string;
}

export function defineImport(parent: Command): void {
  const command = parent
    .command('import')
    .description('store the reports of files; a file that was imported before is left out')
    .argument('<files...>', 'files with reports: JSON, NDJSON, CSV, Parquet, tar; gzip and Zstandard too')
    .addOption(
      new Option('--format <format>', 'format of the files (default: recognised from their content)').choices(
        SOURCE_FORMATS,
      ),
    )
    .option('--source <name>', 'name of the source in counts and files', 'import')
    .option('--dry-run', 'read and count only; store nothing')
    .option('--strict', 'refuse files that break off (truncated, or with a wrong checksum) whole')
    .option('--build', 'publish the hours now instead of leaving them to a worker')
    .option('--json', 'print JSON')
    .action(async (files: string[], flags: ImportFlags) => {
      if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(flags.source)) {
        command.error('error: --source has 1 to 64 letters, digits, dots, dashes and underscores');
      }
      const { imported, hours } = await withTelemetry(
        command,
        async (services, rules, telemetry) => ({
          imported: await importFiles(services, rules, telemetry, files, flags),
          hours: flags.build && !flags.dryRun ? await buildHours(services, rules, telemetry) : undefined,
        }),
        configureNew,
      );
      if (flags.json) printJson(jsonResult(imported, hours));
      else printResult(imported, hours, flags.dryRun === true);
      // Archives of days are published incomplete at times; that is a warning.
      const isDone = ({ file, receipt }: ImportedFile) =>
        receipt !== undefined && (receipt.truncated === null || /\.tar(?:\.[a-z]{2})?$/.test(file));
      if (!imported.every(isDone)) process.exitCode = 1;
    });
  example(
    command,
    'contrails adsb import 2026-01-01.tar --source adsb-lol',
    'contrails adsb import telemetry-*.parquet --format table --build',
    'contrails adsb import aircraft.json --dry-run --json',
  );
}

async function importFiles(
  services: TelemetryServices,
  rules: TelemetryRules,
  { importFile }: Telemetry,
  files: readonly string[],
  { format, source, dryRun = false, strict = false }: ImportFlags,
): Promise<ImportedFile[]> {
  const [{ ContrailsError, UnavailableError }, { withoutOtherParts }] = await Promise.all([
    import('@contrails/runtime/errors'),
    import('@contrails/flights'),
  ]);
  const progress = openProgress();
  const imported: ImportedFile[] = [];
  try {
    for (const file of await withoutOtherParts(files)) {
      const tracker = progress.track(file, 100, '%', { itemUnit: 'records' });
      try {
        const receipt = await importFile(services, rules, file, {
          source,
          format,
          isDryRun: dryRun,
          isStrict: strict,
          onProgress: (bytes, total, records) => tracker.to((bytes / Math.max(total, 1)) * 100, records),
        });
        imported.push({ file, receipt });
      } catch (error) {
        // Without store or database the files that follow would fail as well.
        if (!(error instanceof ContrailsError) || error instanceof UnavailableError) throw error;
        imported.push({ file, error: error.message });
      } finally {
        tracker.end();
      }
    }
  } finally {
    progress.close();
  }
  return imported;
}

async function buildHours(
  services: TelemetryServices,
  rules: TelemetryRules,
  { buildDueHours }: Telemetry,
): Promise<number> {
  const progress = openProgress();
  let tracker: ReturnType<typeof progress.track> | undefined;
  try {
    return await buildDueHours(services, rules, {
      onHour(_hourMs, _outcome, done, total) {
        tracker ??= progress.track('hours', total, 'hours');
        tracker.to(done);
      },
    });
  } finally {
    tracker?.end();
    progress.close();
  }
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

function jsonResult(imported: readonly ImportedFile[], hours: number | undefined) {
  return {
    files: imported.map(({ file, receipt, error }) => ({
      file,
      ...(receipt && {
        batch: receipt.batch,
        duplicate: receipt.duplicate,
        records: receipt.records,
        accepted: receipt.accepted,
        refused: receipt.refused,
        ...(receipt.truncated !== null && { truncated: true, truncation: receipt.truncated }),
      }),
      ...(error !== undefined && { error }),
    })),
    ...(hours !== undefined && { hours }),
  };
}

function printResult(imported: readonly ImportedFile[], hours: number | undefined, isDryRun: boolean): void {
  const rows = imported.map(({ file, receipt, error }) => [
    file,
    receipt === undefined ? 'failed' : receipt.duplicate ? 'known' : isDryRun ? 'read' : 'stored',
    String(receipt?.records ?? '-'),
    String(receipt?.accepted ?? '-'),
    String(receipt === undefined ? '-' : total(receipt.refused)),
    error ?? reasons(receipt?.refused ?? {}),
  ]);
  print(table(['file', 'state', 'records', 'accepted', 'refused', 'why'], rows));
  for (const { file, receipt } of imported) {
    if (receipt !== undefined && receipt.truncated !== null)
      say(`${file} breaks off: ${receipt.truncated}; what came before is ${isDryRun ? 'read' : 'stored'}`);
  }
  if (hours !== undefined) say(`${hours} hours published`);
  else if (!isDryRun) say('workers publish the hours; --build does it here');
}

function reasons(refused: Readonly<Record<string, number>>): string {
  return Object.entries(refused)
    .sort(([, a], [, b]) => b - a)
    .map(([code, n]) => `${code} ${n}`)
    .join(', ');
}
