import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { times } from '../../../../../test/support/effort.ts';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { readTools } from '../../../../../test/support/tools.ts';
import { telemetryRoutes } from '../../../src/families/telemetry/routes/routes.ts';
import { startServer } from '../../support/server.ts';
import { defaultRules, openInstallation } from './support/installation.ts';

const { python, missing } = readTools();
const because = python === null ? ` (skipped: ${missing.python})` : '';
const SEED = 1000 * Number(process.env.TEST_SEED ?? 1);
const FILES = times(64);

/** Rows that pyarrow reads of each file; null where it refuses it. */
async function writeFiles(directory: string): Promise<Record<string, number | null>> {
  const script = fileURLToPath(new URL('support/damaged_tables.py', import.meta.url));
  const { stdout } = await promisify(execFile)(python ?? '', [
    script,
    directory,
    String(FILES),
    String(SEED),
  ]);
  return JSON.parse(stdout);
}

test.skipIf(python === null)(
  `a posted table is taken only if pyarrow reads as many rows of it, however it is damaged${because}`,
  { timeout: 300_000 },
  async () => {
    const directory = await temporaryDirectory();
    const rows = await writeFiles(directory);
    const installation = await openInstallation();
    const server = await startServer({ families: [telemetryRoutes(installation, defaultRules())] });
    const key = await server.newKey({ scopes: ['adsb:write'] });
    const wrong: string[] = [];
    let taken = 0;
    for (const [name, read] of Object.entries(rows)) {
      const { status, text } = await server.send({
        method: 'POST',
        url: '/v1/adsb/ingest',
        payload: await readFile(join(directory, name)),
        headers: { 'x-api-key': key, 'content-type': 'application/vnd.apache.parquet' },
      });
      if (status === 200) {
        taken++;
        if (JSON.parse(text).records !== read) wrong.push(`${name}: pyarrow ${read}, we ${text}`);
      } else if (status !== 400) wrong.push(`${name}: ${status} ${text}`);
      else if (name.startsWith('whole-')) wrong.push(`${name} is whole, but: ${text}`);
    }
    expect(wrong).toEqual([]);
    // Damage of values that no checksum protects makes another table, not a damaged one.
    expect(taken).toBeGreaterThan(8);
    await server.close();
    await installation.close();
  },
);
