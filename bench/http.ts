/** An authenticated trivial JSON route against the bare framework: requests per second, and delay at 200 requests/s. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';

const ROUNDS = 5;
const SECONDS = 3;
const CONNECTIONS = 50;

type Kind = 'bare' | 'ours';

const bare = await start('bare');
const ours = await start('ours');
try {
  // Both run side by side and are measured in turn, so what else the machine does falls on both.
  const perSecond: Record<Kind, number[]> = { bare: [], ours: [] };
  const p99Ms: Record<Kind, number[]> = { bare: [], ours: [] };
  await Promise.all([flood(bare), flood(ours)]);
  for (let round = 0; round < ROUNDS; round++) {
    for (const server of [bare, ours]) perSecond[server.kind].push(await flood(server));
    for (const server of [bare, ours]) p99Ms[server.kind].push(await trickle(server));
  }
  const best = { bare: Math.max(...perSecond.bare), ours: Math.max(...perSecond.ours) };
  const p99 = { bare: Math.min(...p99Ms.bare), ours: Math.min(...p99Ms.ours) };
  console.table([
    { what: 'bare framework, requests/s', value: Math.round(best.bare), wanted: '' },
    {
      what: 'ours with key, limits, usage and log, requests/s',
      value: Math.round(best.ours),
      wanted: '',
    },
    { what: 'ours of bare, %', value: Math.round((100 * best.ours) / best.bare), wanted: '≥ 70' },
    { what: 'p99 of bare at 200 requests/s, ms', value: p99.bare, wanted: '' },
    {
      what: 'p99 added by ours at 200 requests/s, ms',
      value: Math.round(100 * (p99.ours - p99.bare)) / 100,
      wanted: '≤ 2',
    },
  ]);
} finally {
  bare.stop();
  ours.stop();
}

interface Running {
  readonly kind: Kind;
  readonly url: string;
  readonly key: string;
  stop(): void;
}

async function start(kind: Kind): Promise<Running> {
  const program = fileURLToPath(new URL('programs/http-server.ts', import.meta.url));
  const child = spawn(process.execPath, [program, kind], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { address, key } = JSON.parse(String(line)) as { address: string; key: string };
  return { kind, url: `${address}/trivial`, key, stop: () => child.kill() };
}

/** Requests per second with as many as the server takes. */
async function flood({ url, key }: Running): Promise<number> {
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: SECONDS,
    headers: { 'x-api-key': key },
  });
  refuseErrors(result);
  return result.requests.total / result.duration;
}

/** 99th percentile of the delay at 200 requests per second, in milliseconds. */
async function trickle({ url, key }: Running): Promise<number> {
  const result = await autocannon({
    url,
    connections: 10,
    overallRate: 200,
    duration: SECONDS,
    headers: { 'x-api-key': key },
  });
  refuseErrors(result);
  return result.latency.p99;
}

function refuseErrors({ non2xx, errors }: autocannon.Result): void {
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were not 2xx, ${errors} requests failed`);
}
