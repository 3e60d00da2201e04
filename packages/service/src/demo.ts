import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config/load.ts';
import { UnavailableError } from './errors.ts';
import { computeTrajectories } from './families/trajectory/compute.ts';
import { EXAMPLE_FLIGHT } from './families/trajectory/examples.ts';
import { needsOf } from './families/trajectory/needs.ts';
import { DEFAULT_TRAJECTORY_OPTIONS } from './families/trajectory/options.ts';
import { readFleet } from './families/trajectory/read-fleet.ts';
import { AIRCRAFT_CLASS_NAMES } from './forecast/aircraft.ts';
import { Rejected } from './http/rejected.ts';
import { ALL_SCOPES } from './keys/index.ts';
import type { Log } from './log.ts';
import type { Parts } from './parts.ts';

const KEY_FILE = 'demo-key';

/**
 * A key with all scopes for trying the service. It is kept in the data directory, readable by its owner only, so that
 * the same key works after a restart; where data is a bucket every start makes a new one.
 */
export async function demoKey(
  { keys, keyring }: Pick<Parts, 'keys' | 'keyring'>,
  { data }: Config,
): Promise<string> {
  const file = data.kind === 'directory' ? join(data.path, KEY_FILE) : undefined;
  const kept = file === undefined ? undefined : await readKept(file);
  if (kept !== undefined && (await keyring.authenticate(kept)).ok) return kept;
  const { text } = await keys.create({ name: 'demo', scopes: ALL_SCOPES });
  if (file !== undefined) await keep(file, text);
  return text;
}

/** Forecasts of synthetic weather are as coarse as it is, so that two cores have an hour of them in half a minute. */
const DEMO_FORECAST = {
  cells_per_degree: 1,
  hours: 12,
  aircraft_classes: [...AIRCRAFT_CLASS_NAMES],
} satisfies Partial<Config['forecast']>;

/** Synthetic weather and a forecast that follows the clock, where no source is configured. */
export function withDemoWeather(config: Config): Config {
  if (config.met.sources.length > 0) return config;
  const source = { name: 'demo', kind: 'synthetic', resolution: 1, seed: 1 } as const;
  return {
    ...config,
    met: { ...config.met, sources: [source] },
    forecast: { ...config.forecast, ...DEMO_FORECAST },
  };
}

/**
 * Computes the sample flight once in the background, so that its weather and the code of the compute threads are ready
 * before someone posts it. The returned function stops it. Nothing depends on it: a failure is only logged.
 */
export function warmUpDemo({ met, compute }: Pick<Parts, 'met' | 'compute'>, log: Log): () => Promise<void> {
  const stopping = new AbortController();
  const began = performance.now();
  const run = async () => {
    const fleet = readFleet(EXAMPLE_FLIGHT, needsOf('cocip', []));
    if (fleet instanceof Rejected) throw new TypeError('the sample flight is not a valid flight');
    const request = { model: 'cocip', fleet, options: DEFAULT_TRAJECTORY_OPTIONS, unitWarnings: [] } as const;
    await computeTrajectories({ met, compute }, request, { signal: stopping.signal });
    log.debug(`the sample flight is ready after ${Math.round(performance.now() - began)} ms`);
  };
  const ended = run().catch((error: unknown) => {
    if (!stopping.signal.aborted) log.warn({ err: error }, 'the sample flight could not be prepared');
  });
  return () => {
    stopping.abort(new Error('the service stops'));
    return ended;
  };
}

/** What to try first, line by line. */
export function demoLines(address: string, key: string): string[] {
  return [
    `demo key:   ${key}`,
    `try it:     curl -H 'x-api-key: ${key}' ${address}/v0/auth/validate-key`,
    `forecast:   curl -H 'x-api-key: ${key}' "${address}/v1/regions?flight_level=350&time=$(date -u +%Y-%m-%dT%H)"`,
    `start page: ${address}/`,
    `API page:   ${address}/openapi`,
  ];
}

async function readKept(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    return undefined;
  }
}

/**
 * Under a name of its own first, so that a file which others could read never holds the key. A start that was killed may
 * have left a file of that name: in a container every start has the same process id.
 */
async function keep(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  try {
    await rm(fresh, { force: true, recursive: true });
    await writeFile(fresh, `${text}\n`, { mode: 0o600, flag: 'wx' });
    await rename(fresh, file);
  } catch (error) {
    throw new UnavailableError(`the demo key cannot be kept in ${file}; check its permissions and the disk`, {
      cause: error,
    });
  }
}
