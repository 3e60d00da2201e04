import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openParquetTable } from '@contrails/engine/flights/tables';
import { openCollection } from '@contrails/flights';
import { createCutFiles } from '@contrails/platform/http/cut-files';
import { makeFolder, withWorkspace } from '@contrails/platform/workspace';

/** Works in temporary folders of every kind until it is killed, as a process of another namespace: its id means nothing here. */
const UNKNOWN_PID = 2 ** 22 + 1;
Object.defineProperty(process, 'pid', { value: UNKNOWN_PID });

await openCollection({ memoryMiB: 64, threads: 1 });
await openParquetTable('waypoints', await makeFolder('table'));
await createCutFiles().open('subject', 0, (path) => writeFile(path, 'bytes'));
await withWorkspace({ memoryMiB: 64 }, async ({ directory }) => {
  await writeFile(join(directory, 'rows'), 'bytes');
  process.stdout.write('working\n');
  setInterval(() => undefined, 1_000);
  await new Promise(() => undefined);
});
