import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { newestRunMs } from '@contrails/testbed/weather';
import { scopes as known } from '../../packages/service/src/families/index.ts';
import { repositoryRoot } from './tools.ts';

export interface LiveService {
  readonly address: string;
  /** A key that no limit of requests stops. */
  readonly key: string;
  /** Ends the service and returns what it logged. */
  stop(): Promise<string>;
}

/**
 * Hours of the newest synthetic forecast run up to the current hour and the next one, so a forecast covers "now" for an
 * hour and is soon complete.
 */
export function hoursOfForecast(nowMs = Date.now()): number {
  return Math.floor((nowMs - newestRunMs(nowMs)) / HOUR_MS) + 1;
}

/** Synthetic weather, and a forecast that is soon complete and then leaves the processor alone. */
export const smallConfig = () => `
met:
  sources:
    - { name: demo, kind: synthetic, resolution: 10, seed: 1 }
forecast:
  cells_per_degree: 0.25
  levels_per_job: 18
  hours: ${hoursOfForecast()}
  aircraft_types: [B738]
workers:
  threads: 1
server:
  max_event_loop_delay_ms: 60000
log:
  level: warn
`;

export interface LiveServiceOptions {
  readonly checkout?: string;
  /** Without workers there is no forecast. */
  readonly workers?: boolean;
  /** What it is started with. */
  readonly configuration?: string;
}

/** The program of a checkout as a user runs it, on new data. */
export async function startLiveService({
  checkout = repositoryRoot,
  workers = true,
  configuration = smallConfig(),
}: LiveServiceOptions = {}): Promise<LiveService> {
  const folder = mkdtempSync(join(tmpdir(), 'contrails live '));
  const config = join(folder, 'contrails.yaml');
  writeFileSync(config, configuration);
  const programOf = (root: string) => join(root, 'packages/cli/bin/contrails.mjs');
  const common = ['--config', config, '--data', join(folder, 'data')];
  const made = execFileSync(process.execPath, [
    // Keys are the same in every checkout, and the program of this one starts faster.
    ...[programOf(repositoryRoot), 'keys', 'create', '--name', 'live', '--json'],
    ...['--rate', '1000000', '--concurrency', '1000', '--scopes', known.all.join(',')],
    ...common,
  ]);
  const flags = ['--port', '0', ...(workers ? [] : ['--no-workers'])];
  const service = spawn(process.execPath, [programOf(checkout), 'serve', ...flags, ...common]);
  let log = '';
  service.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = new Promise<void>((resolve) => {
    service.once('exit', () => resolve());
  });
  const stop = async () => {
    service.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    return log;
  };
  let printed = '';
  for await (const text of service.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    printed += text;
    const address = /is ready at (http:\S+)/.exec(printed)?.[1];
    if (address === undefined) continue;
    const { key } = JSON.parse(made.toString()) as { key: string };
    return { address, key, stop };
  }
  await stop();
  throw new Error(`the service did not start: ${log}`);
}
