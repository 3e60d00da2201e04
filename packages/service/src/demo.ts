import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DemoRequest } from '@contrails/platform/family';
import type { JobRequest } from '@contrails/platform/jobs';
import {
  formatKey,
  generateKey,
  type IssuedKey,
  issueKey,
  type ParsedKey,
  parseKey,
} from '@contrails/platform/keys';
import type { Log } from '@contrails/platform/log';
import { workMemoryBytes } from '@contrails/platform/memory-limit';
import { UnavailableError } from '@contrails/runtime/errors';
import { isRecord } from '@contrails/runtime/is-record';
import type { Config } from './configuration.ts';
import { families, scopes } from './families/index.ts';
import type { Services } from './services.ts';

const KEY_FILE = 'demo-key';
/** What the demo may take of a machine, however large it is [MiB]. */
const MEMORY_MIB = 1400;

export interface DemoKeys {
  /** Has all scopes; printed when the demo starts. */
  readonly own: IssuedKey;
  /** Only reads; pages of the demo fill it in for every visitor. */
  readonly visitor: IssuedKey;
}

/**
 * Keys for trying the service. No database has them, so they end with the demo. They are kept in the data directory,
 * readable by its owner only: the next demo has the same keys. Where data is a bucket every start makes new ones.
 */
export async function demoKeys(config: Config): Promise<DemoKeys> {
  const file = keyFile(config);
  const kept = file === undefined ? [] : await readKept(file);
  const [own = generateKey(), visitor = generateKey()] = kept;
  if (file !== undefined && kept.length < 2) await keep(file, [own, visitor].map(formatKey));
  const nowMs = Date.now();
  return {
    own: issueKey(own, { name: 'demo', scopes: scopes.all }, nowMs),
    visitor: issueKey(visitor, { name: 'demo visitor', scopes: visitorScopes(config) }, nowMs),
  };
}

/** Earlier versions stored the key of the demo, with all scopes and for ever. */
export async function retireStoredDemoKey({ keys }: Pick<Services, 'keys'>, config: Config): Promise<void> {
  const file = keyFile(config);
  for (const { id } of file === undefined ? [] : await readKept(file)) {
    const stored = await keys.find(id);
    if (stored !== undefined && stored.key.revokedMs === null) await keys.revoke(id);
  }
}

/** Restricted data is for everyone only if it is made up. */
function visitorScopes({ telemetry }: Config): readonly string[] {
  const { sources } = telemetry;
  const isMadeUp = sources.length > 0 && sources.every(({ kind }) => kind === 'synthetic');
  return isMadeUp ? scopes.reading : scopes.ordinary;
}

function keyFile({ data }: Config): string | undefined {
  return data.kind === 'directory' ? join(data.path, KEY_FILE) : undefined;
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
    return [[name, suited(name, section, demo.settings(section), config.given)]];
  });
  const server = config.given.has('server.memory_mib')
    ? config.server
    : { ...config.server, memory_mib: Math.min(MEMORY_MIB, Math.floor(workMemoryBytes(config) / 2 ** 20)) };
  return { ...config, server, met: { ...config.met, sources: [source] }, ...Object.fromEntries(sections) };
}

/** A section with other values where none are given. */
function suited(
  path: string,
  section: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
  given: Config['given'],
): Record<string, unknown> {
  const entries = Object.entries(values).flatMap(([key, value]) => {
    const [own, at] = [section[key], `${path}.${key}`];
    // A part that is given in a section does not mean the rest of it.
    if (isRecord(own) && isRecord(value)) return [[key, suited(at, own, value, given)]];
    return given.has(at) ? [] : [[key, value]];
  });
  return { ...section, ...Object.fromEntries(entries) };
}

/** Background jobs wait for the first requests, but not for ever. */
const FIRST_REQUESTS_LIMIT_MS = 60_000;

/** Sends a request to the server of this process. */
export type Send = (request: DemoRequest) => Promise<{ readonly statusCode: number; readonly body: string }>;

/**
 * Asks once for what people ask for first. Later requests find weather, threads and code ready. A failure is only logged;
 * never rejects.
 */
export async function askFirst(send: Send, stopped: Promise<void>, log: Log): Promise<void> {
  const requests = families.flatMap(({ demo }) => demo?.firstRequests?.(Date.now()) ?? []);
  const began = performance.now();
  let isOver = false;
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  // What the end of the demo cancels has not failed.
  const warn = (facts: object) => isStopped || log.warn(facts, 'a first request failed');
  const work = async () => {
    for (const request of requests) {
      if (isOver) return;
      try {
        const { statusCode, body } = await send(request);
        if (statusCode >= 400) warn({ path: request.path, statusCode, body });
      } catch (error) {
        warn({ err: error, path: request.path });
      }
    }
    log.debug(`the first requests took ${Math.round(performance.now() - began)} ms`);
  };
  await Promise.race([work(), stopped, pause(FIRST_REQUESTS_LIMIT_MS, undefined, { ref: false })]);
  isOver = true;
}

/** Jobs of the demo beyond those scheduled. */
export async function demoJobs(config: Config, nowMs: number): Promise<readonly JobRequest[]> {
  return (await Promise.all(families.map(({ demo }) => demo?.jobs?.(config, nowMs) ?? []))).flat();
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

async function readKept(file: string): Promise<ParsedKey[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => parseKey(line.trim()) ?? []);
}

/**
 * Under its own name first, so a file which others could read never holds the key. A start that was killed may
 * have left a file of that name: in a container every start has the same process id.
 */
async function keep(file: string, lines: readonly string[]): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  try {
    await rm(fresh, { force: true, recursive: true });
    await writeFile(fresh, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
    await rename(fresh, file);
  } catch (error) {
    throw new UnavailableError(
      `the demo keys cannot be kept in ${file}; check its permissions and the disk`,
      {
        cause: error,
      },
    );
  }
}
