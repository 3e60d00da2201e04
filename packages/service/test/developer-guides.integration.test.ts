/** The programs of docs/jobs.md and docs/compute.md, each with what it takes for granted before it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../../../test/support/tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'guides '));
symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');

const source = (path: string) => pathToFileURL(join(repositoryRoot, 'packages/service/src', path)).href;

function blocksOf(page: string): string[] {
  const text = readFileSync(join(repositoryRoot, 'docs', page), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block = '']) => block);
}

function run(name: string, program: string): string {
  writeFileSync(join(folder, name), program);
  return execFileSync(process.execPath, [join(folder, name)], { cwd: folder, encoding: 'utf8' });
}

test('the jobs of docs/jobs.md run in their order', () => {
  const [block = ''] = blocksOf('jobs.md');
  const said = run(
    'jobs.ts',
    `import { pino } from 'pino';
import { openJobs } from '@contrails/platform/jobs';
import { openDatabase } from '${source('migrations.ts')}';
import { openStore } from '@contrails/platform/store';

const log = pino({ level: 'warn' });
const directory = ${JSON.stringify(folder)};
const database = await openDatabase({ database: 'embedded', directory });
const jobs = await openJobs(database, { log, database: 'embedded' });
const store = await openStore({ kind: 'directory', path: directory + '/store' });
const bytes = Buffer.from('PAR1');
${block}
const deadline = Date.now() + 120_000;
while ((await jobs.counts()).done < 26 && Date.now() < deadline) await new Promise((end) => setTimeout(end, 50));
const [last] = (await jobs.list({ kind: 'inventory.merge' })).jobs;
console.log((await jobs.counts()).done, last?.state, (await store.head('inventory/2026-01-01/23.parquet'))?.size);
await worker.stop();
await jobs.close();
await store.close?.();
await database.close();
`,
  );
  expect(said).toBe('26 done 4\n');
});

test('the kernel of docs/compute.md sums its blocks', () => {
  const [kernel = '', call = ''] = blocksOf('compute.md');
  expect(kernel).toMatch(/^\/\/ sums\.kernel\.ts\n/);
  writeFileSync(join(folder, 'sums.kernel.ts'), kernel);
  const said = run(
    'compute.ts',
    `import { kernelAt, openCompute } from '@contrails/runtime/compute';

const compute = openCompute({ threads: 2, maxQueue: 10 });
const request = { clientAborted: new AbortController().signal };
const blockCount = 3;
const values = new Float64Array(new SharedArrayBuffer(6 * 8));
values.set([1, 2, 3, 4, 5, 6]);
const input = { values, sums: new Float64Array(new SharedArrayBuffer(blockCount * 8)), blockSize: 2 };
${call}
console.log(input.sums.join(' '));
await compute.close();
`,
  );
  expect(said).toBe('3 7 11\n');
});
