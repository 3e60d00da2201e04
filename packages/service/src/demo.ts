import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './configuration.ts';
import { UnavailableError } from './errors.ts';
import { families } from './families/index.ts';
import { ALL_SCOPES } from './keys/index.ts';
import type { Log } from './log.ts';
import type { Services } from './services.ts';

const KEY_FILE = 'demo-key';

/**
 * A key with all scopes for trying the service. It is kept in the data directory, readable by its owner only, so that
 * the same key works after a restart; where data is a bucket every start makes a new one.
 */
export async function demoKey(
  { keys, keyring }: Pick<Services, 'keys' | 'keyring'>,
  { data }: Pick<Config, 'data'>,
): Promise<string> {
  const file = data.kind === 'directory' ? join(data.path, KEY_FILE) : undefined;
  const kept = file === undefined ? undefined : await readKept(file);
  if (kept !== undefined && (await keyring.authenticate(kept)).ok) return kept;
  const { text } = await keys.create({ name: 'demo', scopes: ALL_SCOPES });
  if (file !== undefined) await keep(file, text);
  return text;
}

/**
 * Synthetic weather where no source is configured, and settings of the families that suit it in place of their defaults;
 * what is set stays.
 */
export function withDemoWeather(config: Config): Config {
  if (config.met.sources.length > 0) return config;
  const source = { name: 'demo', kind: 'synthetic', resolution: 1, seed: 1 } as const;
  const known = new Map<string, object>(Object.entries(config));
  const sections = families.flatMap(({ name, demo }) => {
    if (demo?.settings === undefined) return [];
    const section = { ...known.get(name) };
    const suited = Object.entries(demo.settings(section)).filter(
      ([key]) => !config.given.has(`${name}.${key}`),
    );
    return [[name, { ...section, ...Object.fromEntries(suited) }]];
  });
  return { ...config, met: { ...config.met, sources: [source] }, ...Object.fromEntries(sections) };
}

export interface WarmUp {
  /** Never rejects. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Background jobs wait for the warm-up, but not for ever. */
const WARM_UP_LIMIT_MS = 60_000;

/** Warms up every family in the background, so that the first request for its example is quick. A failure is only logged. */
export function warmUpDemo(services: Pick<Services, 'met' | 'compute'>, log: Log): WarmUp {
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(WARM_UP_LIMIT_MS)]);
  const warmUps = families.map(async ({ demo }) => {
    if (demo?.warmUp === undefined) return;
    const { name, run } = demo.warmUp;
    const began = performance.now();
    try {
      await run(services, signal);
      log.debug(`${name} is ready after ${Math.round(performance.now() - began)} ms`);
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, `${name} could not be prepared`);
    }
  });
  const ended = Promise.all(warmUps).then(() => {});
  return {
    ended,
    stop() {
      stopping.abort(new Error('the service stops'));
      return ended;
    },
  };
}

/** What to try first, line by line. */
export function demoLines(address: string, key: string): string[] {
  return [
    `app:        ${address}/`,
    `demo key:   ${key}`,
    `try it:     curl -H 'x-api-key: ${key}' ${address}/v0/auth/validate-key`,
    ...families.flatMap(({ demo }) => demo?.lines?.(address, key) ?? []),
    `API page:   ${address}/openapi`,
    `manual:     ${address}/docs`,
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
