/** How soon the service responds after its start, and how much memory it holds when idle. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../packages/cli/bin/contrails.mjs', import.meta.url));
const RUNS = 7;
const IDLE_SECONDS = 10;

const data = await mkdtemp(join(tmpdir(), 'contrails-bench-'));
try {
  const first = await start();
  await first.stop();
  const readyMs: number[] = [];
  const costMs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const service = await start();
    readyMs.push(service.readyMs);
    costMs.push(service.processorMs);
    await service.stop();
  }
  const service = await start();
  await sleep(IDLE_SECONDS * 1000);
  const rssMb = await residentMb(service.pid);
  await service.stop();
  console.table([
    {
      what: 'start to /readyz on an empty data directory, ms',
      value: Math.round(first.readyMs),
      goal: '≤ 2000',
    },
    { what: 'start to /readyz, best, ms', value: Math.round(Math.min(...readyMs)), goal: '≤ 2000' },
    {
      what: 'start to /readyz, median, ms',
      value: Math.round(median(readyMs)),
      goal: '≤ 2000',
    },
    { what: 'processor time until then, median, ms', value: median(costMs), goal: '' },
    {
      what: `resident memory after ${IDLE_SECONDS} s without a request, MB`,
      value: Math.round(rssMb),
      goal: '≤ 200',
    },
  ]);
} finally {
  await rm(data, { recursive: true, force: true });
}

async function start() {
  const port = await freePort();
  const startedMs = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--data', data, '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, CONTRAILS_LOG__LEVEL: 'warn' },
  });
  const ended = once(child, 'exit');
  await untilReady(`http://127.0.0.1:${port}/readyz`, ended);
  const readyMs = performance.now() - startedMs;
  return {
    readyMs,
    processorMs: await processorMs(child.pid ?? 0),
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilReady(url: string, ended: Promise<unknown>): Promise<void> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await sleep(5);
  }
  throw new Error('the service ended before it was ready');
}

/** Processor time so far: what the start costs regardless of the machine's load. */
async function processorMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
