/** Imports a file into a store of its own; prints one line of JSON. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importFile } from '../../packages/service/src/families/telemetry/index.ts';
import { openDatabase } from '../../packages/service/src/migrations.ts';
import { openStore } from '../../packages/service/src/store/index.ts';

const [file = ''] = process.argv.slice(2);
const RULES = { memoryMiB: 400, closeAfterMs: 7 * 86_400_000 } as const;
const directory = mkdtempSync(join(tmpdir(), 'bench-import-'));
try {
  const database = await openDatabase({ database: 'embedded', directory });
  const store = await openStore({ kind: 'directory', path: join(directory, 'store') });
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const { accepted, records } = await importFile({ database, store }, RULES, file, {
    source: 'bench',
    format: undefined,
  });
  const { user, system } = process.cpuUsage(before);
  console.log(
    JSON.stringify({
      rows: accepted,
      refused: records - accepted,
      seconds: (user + system) / 1e6,
      wallSeconds: (performance.now() - startedMs) / 1000,
      peakMiB: process.resourceUsage().maxRSS / 1024,
    }),
  );
  await store.close();
  await database.close();
} finally {
  rmSync(directory, { recursive: true });
}
