import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CopyOutcome } from '@contrails/service/archive';
import type { Command } from 'commander';
import { configSources, configure, openLog } from '../configure.ts';
import { example } from '../flags.ts';
import { print, say } from '../output.ts';
import { openProgress } from '../progress.ts';

export function defineBackup(program: Command): void {
  const command = program
    .command('backup')
    .description(
      'copy keys, usage, catalogue, products and jobs into a new directory, while servers and workers go on',
    )
    .argument('<directory>', 'a directory that does not exist yet')
    .action(async (directory: string) => {
      const config = await configure(command);
      const { backUp } = await import('@contrails/service/archive');
      const log = await openLog(config);
      const outcome = await withProgress('backup', (onProgress) =>
        backUp(config, directory, { log, onProgress }),
      );
      printOutcome(`backed up to ${directory}`, outcome);
      noteWeather(config.data);
    });
  example(command, 'contrails backup /var/backups/contrails-2030-01-31');
}

export function defineRestore(program: Command): void {
  const command = program
    .command('restore')
    .description('copy a backup into an empty database and store; servers and workers have to be stopped')
    .argument('<directory>', 'what "contrails backup" made')
    .action(async (directory: string) => {
      const config = await configure(command);
      const { restore } = await import('@contrails/service/archive');
      const log = await openLog(config);
      const outcome = await withProgress('restore', (onProgress) =>
        restore(config, directory, { log, onProgress }),
      );
      printOutcome(`restored ${directory}`, outcome);
    });
  example(command, 'contrails restore /var/backups/contrails-2030-01-31');
}

export function defineMigrate(program: Command): void {
  const command = program
    .command('migrate')
    .description(
      'copy everything to another database and store, such as PostgreSQL and a bucket; servers and workers have to be stopped',
    )
    .requiredOption(
      '--to <file>',
      'configuration of the target; CONTRAILS_ variables, such as secrets, belong to the target too',
    )
    .action(async ({ to }: { to: string }) => {
      const { loadConfig } = await import('@contrails/service/config');
      const source = configSources(command);
      const from = loadConfig({ ...source, environment: {} });
      const target = loadConfig({ file: to, environment: source.environment, directory: source.directory });
      const { migrateInstallation } = await import('@contrails/service/archive');
      const log = await openLog(from);
      const outcome = await withProgress('migrate', (onProgress) =>
        migrateInstallation(from, target, { log, onProgress }),
      );
      printOutcome('migrated', outcome);
      noteWeather(from.data);
    });
  example(command, 'contrails migrate --data /var/lib/contrails --to production.yaml');
}

async function withProgress<T>(
  label: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  const progress = openProgress();
  let tracker: ReturnType<typeof progress.track> | undefined;
  try {
    return await work((done, total) => {
      tracker ??= progress.track(label, total, 'files');
      tracker.to(done);
    });
  } finally {
    tracker?.end();
    progress.close();
  }
}

function printOutcome(what: string, { rows, present, lost }: CopyOutcome): void {
  const counts = ['keys', 'usage', 'forecast_runs', 'products', 'jobs', 'objects'].map(
    (name) => `${rows[name] ?? 0} ${LABELS[name] ?? name}`,
  );
  print(`${what}: ${counts.join(', ')}`);
  if (present > 0) say(`${present} files were there already`);
  if (lost.length === 0) return;
  say(
    `${lost.length} stored products are missing or damaged and are left out, the first is ${lost[0]}; the forecast computes them again`,
  );
}

const LABELS: Readonly<Record<string, string>> = {
  usage: 'usage rows',
  forecast_runs: 'forecast runs',
  objects: 'files',
};

function noteWeather(data: { readonly kind: string; readonly path?: string }): void {
  const weather = join(data.path ?? '', 'met');
  if (data.kind !== 'directory' || !existsSync(weather)) return;
  say(`imported weather in ${weather} is not part of the copy; copy that directory too`);
}
