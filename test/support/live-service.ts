import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from './tools.ts';

export interface LiveService {
  readonly address: string;
  /** A key that no limit of requests stops. */
  readonly key: string;
  /** Ends the service and answers with what it logged. */
  stop(): Promise<string>;
}

/**
 * Synthetic weather, and a forecast that is soon complete and then leaves the processor alone. The hour under way is at most
 * the sixth of the newest run.
 */
export const SMALL_CONFIG = `
met:
  sources:
    - { name: demo, kind: synthetic, resolution: 2.5, seed: 1 }
forecast:
  cells_per_degree: 0.25
  hours: 8
  aircraft_types: [B738]
server:
  max_event_loop_delay_ms: 60000
log:
  level: warn
`;

/** The program as a user runs it, on data of its own. */
export async function startLiveService(): Promise<LiveService> {
  const folder = mkdtempSync(join(tmpdir(), 'contrails live '));
  const config = join(folder, 'contrails.yaml');
  writeFileSync(config, SMALL_CONFIG);
  const program = join(repositoryRoot, 'packages/cli/bin/contrails.mjs');
  const common = ['--config', config, '--data', join(folder, 'data')];
  const made = execFileSync(process.execPath, [
    ...[program, 'keys', 'create', '--name', 'live', '--rate', '1000000', '--concurrency', '1000', '--json'],
    ...common,
  ]);
  const service = spawn(process.execPath, [program, 'serve', '--port', '0', ...common]);
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
