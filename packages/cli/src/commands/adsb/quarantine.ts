import type { QuarantineEntry } from '@contrails/service/telemetry';
import type { Command } from 'commander';
import { example, integer } from '../../flags.ts';
import { jsonTime, print, printJson, say, shownTime, table } from '../../output.ts';
import { withTelemetry } from './with-telemetry.ts';

export function defineQuarantine(parent: Command): void {
  const quarantine = parent
    .command('quarantine')
    .description('refused records that are kept: list them, read them again after a fix, drop them');
  example(quarantine, 'contrails adsb quarantine list');
  defineList(quarantine);
  defineRetry(quarantine);
  defineDrop(quarantine);
}

interface ListFlags {
  readonly source?: string;
  readonly code?: string;
  readonly batch?: string;
  readonly limit: number;
  readonly json?: boolean;
}

function defineList(parent: Command): void {
  const command = parent
    .command('list')
    .description('list batches with kept records; with --batch, the records of one')
    .option('--source <name>', 'only of this source')
    .option('--code <code>', 'only with records of this code')
    .option('--batch <id>', 'the records of this batch, with their text')
    .option('--limit <n>', 'maximum number of batches or records to list', integer(1, 100_000), 100)
    .option('--json', 'print JSON')
    .action(async (flags: ListFlags) => {
      const { batch, source, code, limit } = flags;
      const found = await withTelemetry(command, async ({ database, store }, _rules, telemetry) => {
        const entries = await telemetry.listQuarantine(database, { batch, source, code });
        if (batch === undefined) return { entries: entries.slice(0, limit), records: undefined };
        const records = [];
        for (const entry of entries) {
          for await (const record of telemetry.quarantinedRecords(store, entry)) {
            if (code !== undefined && record.code !== code) continue;
            if (records.push(record) >= limit) break;
          }
        }
        return { entries, records };
      });
      if (flags.json) printJson(found.records ?? found.entries.map(jsonEntry));
      else if (found.records !== undefined) {
        const rows = found.records.map((one) => [
          String(one.record),
          one.code,
          one.detail ?? '',
          one.raw ?? '',
        ]);
        print(table(['record', 'code', 'detail', 'text'], rows));
      } else if (found.entries.length > 0) printEntries(found.entries);
      else say('the quarantine is empty');
    });
  example(
    command,
    'contrails adsb quarantine list --code late',
    'contrails adsb quarantine list --batch 5f0c6d1f2b7e4c0d9a3e8b1d6c2f4a70 --json',
  );
}

function defineRetry(parent: Command): void {
  const command = parent
    .command('retry')
    .description('read kept records again; those that are refused again stay')
    .argument('<batches...>', 'ids of batches')
    .action(async (batches: string[]) => {
      await withTelemetry(command, async (services, rules, { retryQuarantine }) => {
        for (const batch of batches) {
          const { records, accepted } = await retryQuarantine(services, rules, batch, Date.now());
          print(`${batch}: ${accepted} of ${records} records accepted`);
        }
      });
    });
  example(command, 'contrails adsb quarantine retry 5f0c6d1f2b7e4c0d9a3e8b1d6c2f4a70');
}

function defineDrop(parent: Command): void {
  const command = parent
    .command('drop')
    .description('remove kept records for good')
    .argument('<batches...>', 'ids of batches')
    .action(async (batches: string[]) => {
      await withTelemetry(command, async (services, _rules, { dropQuarantine }) => {
        for (const batch of batches) {
          print(`${batch}: ${await dropQuarantine(services, batch)} records dropped`);
        }
      });
    });
  example(command, 'contrails adsb quarantine drop 5f0c6d1f2b7e4c0d9a3e8b1d6c2f4a70');
}

function printEntries(entries: readonly QuarantineEntry[]): void {
  const rows = entries.map(({ batch, source, records, createdMs, codes }) => [
    batch,
    source === '' ? '-' : source,
    String(records),
    shownTime(createdMs),
    Object.entries(codes)
      .map(([code, n]) => `${code} ${n}`)
      .join(', '),
  ]);
  print(table(['batch', 'source', 'records', 'created', 'codes'], rows));
}

function jsonEntry({ batch, source, records, codes, createdMs }: QuarantineEntry) {
  return { batch, source, records, codes, created: jsonTime(createdMs) };
}
