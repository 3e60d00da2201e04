/**
 * Memory of the service while it streams an hour of telemetry: how far the resident memory of its process rises above idle
 * for one, three and eight clients at once. An hour of 1.7 million reports has about 60 MB; BENCH_ROWS makes it shorter.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openStore } from '@contrails/platform/store';
import { publishHour } from '../packages/service/src/families/telemetry/hours/publish.ts';
import { importFile } from '../packages/service/src/families/telemetry/index.ts';
import { openDatabase } from '../packages/service/src/migrations.ts';
import { type DemoServer, startDemoServer } from './support/demo-server.ts';
import { writeTelemetryHour } from './support/telemetry-hour.ts';

const ROWS = Number(process.env.BENCH_ROWS ?? 1_700_000);
const HOUR_MS = Date.UTC(2026, 0, 1, 6);
const RULES = { memoryMiB: 400, closeAfterMs: 7 * 86_400_000, thinS: 30, compression: 'zstd' } as const;
const SAMPLE_MS = 5;
const SETTLE_MS = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'bench-telemetry-stream-'));
const data = join(folder, 'data');
try {
  const file = join(folder, 'hour.parquet');
  await writeTelemetryHour(file, HOUR_MS, ROWS, join(folder, 'spill'));
  await store(file);
  const table = [];
  // A new server for each: memory that one answer leaves behind would hide that of the next.
  for (const clients of [1, 3, 8]) {
    const server = await startDemoServer(data);
    try {
      await pause(SETTLE_MS);
      const idleMiB = residentMiB(server.pid);
      const { peakMiB, bytes } = await measured(server, clients);
      table.push({
        clients,
        'MB sent': Math.round(bytes / 1e6),
        'idle, MiB': Math.round(idleMiB),
        'beyond idle, MiB': Number((peakMiB - idleMiB).toFixed(1)),
        wanted: '≤ 50',
      });
    } finally {
      await server.stop();
    }
  }
  console.table(table);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function store(file: string): Promise<void> {
  const database = await openDatabase({ database: 'embedded', directory: data });
  const services = { database, store: await openStore({ kind: 'directory', path: join(data, 'store') }) };
  await importFile(services, RULES, file, { source: 'bench', format: 'table' });
  await publishHour(services, RULES, HOUR_MS, Date.now());
  await services.store.close();
  await database.close();
}

/** Several clients that read as fast as they can. */
async function measured(server: DemoServer, clients: number): Promise<{ peakMiB: number; bytes: number }> {
  let peakMiB = 0;
  const sampling = setInterval(() => {
    peakMiB = Math.max(peakMiB, residentMiB(server.pid));
  }, SAMPLE_MS);
  try {
    const sizes = await Promise.all(Array.from({ length: clients }, () => fetchHour(server)));
    return { peakMiB, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  } finally {
    clearInterval(sampling);
  }
}

async function fetchHour({ address, key }: DemoServer): Promise<number> {
  const url = new URL(`/v1/adsb/telemetry?date=${new Date(HOUR_MS).toISOString()}`, address);
  const response = await fetch(url, { headers: { 'x-api-key': key } });
  if (response.status !== 200 || response.body === null) throw new Error(await response.text());
  let size = 0;
  for await (const chunk of response.body) size += chunk.length;
  return size;
}

function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
