import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SharedLiveService } from './shared-servers.ts';
import { repositoryRoot } from './tools.ts';
import { until } from './until.ts';

export interface FuzzOptions {
  /** Folder of the programs of Python packages, with schemathesis. */
  readonly pythonPrograms: string;
  /** Requests that are generated for each operation and phase. */
  readonly examples: number;
  readonly phases?: string;
  readonly seed: number;
  /** Called with what schemathesis prints, as it comes. */
  readonly onText?: (text: string) => void;
}

export interface FuzzReport {
  readonly succeeded: boolean;
  /** Requests that were generated. */
  readonly cases: number;
  readonly text: string;
}

/** Statuses that refuse a request: those of schemathesis, and 431 for a query that is longer than the server reads. */
const REFUSALS =
  '["400", "401", "403", "404", "405", "406", "409", "415", "422", "428", "429", "431", "5xx"]';

/** Requests at once. With several threads CPython 3.11 fails now and then while it parses ("recursion depth mismatch"). */
const WORKERS = 1;

/**
 * Requests generated from the API description, with every check of schemathesis: what the description calls valid is
 * accepted, what it calls invalid is refused, and every status, header and body is described.
 */
export async function runSchemathesis(service: SharedLiveService, options: FuzzOptions): Promise<FuzzReport> {
  await untilForecast(service);
  const folder = mkdtempSync(join(tmpdir(), 'schemathesis '));
  writeFileSync(
    join(folder, 'schemathesis.toml'),
    `[checks.negative_data_rejection]\nexpected-statuses = ${REFUSALS}\n`,
  );
  const { pythonPrograms, examples, seed, onText, phases = 'examples,coverage,fuzzing,stateful' } = options;
  const child = spawn(
    join(pythonPrograms, 'schemathesis'),
    [
      ...['run', `${service.address}/openapi.json`, '--header', `x-api-key: ${service.key}`],
      // A job that is deleted while it runs is cancelled, and can still be asked for.
      ...['--checks', 'all', '--exclude-checks', 'use_after_free'],
      ...['--phases', phases, '--max-examples', String(examples), '--seed', String(seed)],
      ...[
        '--workers',
        String(WORKERS),
        '--continue-on-failure',
        '--request-timeout',
        '120',
        '--max-response-time',
        '120',
        '--generation-database',
        'none',
        '--no-color',
      ],
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        TMPDIR: process.env.TMPDIR,
        SCHEMATHESIS_HOOKS: join(repositoryRoot, 'test', 'fuzz', 'hooks.py'),
        PYTHONDONTWRITEBYTECODE: '1',
      },
    },
  );
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (said: string) => {
      text += said;
      onText?.(said);
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  rmSync(folder, { recursive: true, force: true });
  return { succeeded: code === 0, cases: Number(/(\d+) generated/.exec(text)?.[1] ?? 0), text };
}

/** Stored products are to be reached, so there have to be some. */
async function untilForecast({ address, key }: SharedLiveService): Promise<void> {
  const hour = new Date().toISOString().slice(0, 13);
  const paths = [
    `/v1/regions?time=${hour}`,
    `/v0/grid/cocip?time=${hour}&aircraft_type=B738&flight_level=350`,
  ];
  for (const path of paths) {
    const isThere = async () => (await fetch(address + path, { headers: { 'x-api-key': key } })).ok;
    await until(`${path} is published`, isThere, { seconds: 600, pauseMs: 500 });
  }
}
