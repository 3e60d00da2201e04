/** `telemetry-hours.ts FILE [TIME]` imports a file into a new store and builds the hour of a time; prints one line of JSON. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@contrails/platform/store';
import { hourOf } from '@contrails/runtime';
import { publishHour } from '../../packages/service/src/families/telemetry/hours/publish.ts';
import { importFile } from '../../packages/service/src/families/telemetry/index.ts';
import { openDatabase } from '../../packages/service/src/migrations.ts';

const [file = '', time] = process.argv.slice(2);
const RULES = { memoryMiB: 400, closeAfterMs: 7 * 86_400_000, thinS: 30, compression: 'zstd' } as const;
const directory = mkdtempSync(join(tmpdir(), 'bench-hours-'));
try {
  const database = await openDatabase({ database: 'embedded', directory });
  const store = await openStore({ kind: 'directory', path: join(directory, 'store') });
  const services = { database, store };
  const imported = await timed(() =>
    importFile(services, RULES, file, { source: 'bench', format: undefined }),
  );
  const built =
    time === undefined
      ? undefined
      : await timed(() => publishHour(services, RULES, hourOf(Number(time)), Date.now()));
  await store.close();
  await database.close();
  console.log(
    JSON.stringify({
      records: imported.result.records,
      rows: built?.result.rows,
      importSeconds: imported.seconds,
      importCpuSeconds: imported.cpuSeconds,
      buildSeconds: built?.seconds,
      buildCpuSeconds: built?.cpuSeconds,
      peakMiB: process.resourceUsage().maxRSS / 1024,
    }),
  );
} finally {
  rmSync(directory, { recursive: true });
}

async function timed<T>(work: () => Promise<T>) {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: (performance.now() - startedMs) / 1000, cpuSeconds: (user + system) / 1e6 };
}
