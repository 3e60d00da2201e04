import type { SourceFailure } from '@contrails/engine/weather/errors';
import type { Met, MetStatistics } from '@contrails/met';
import type { Log } from '@contrails/platform/log';
import { memoryLimitBytes } from '@contrails/platform/memory-limit';
import type { WaitLimit } from '@contrails/runtime';
import type { CoreConfig } from '../config/core.ts';

/** Weather that is opened when it is first needed: a server that has no use for it does not pay for it. */
export interface LazyMet {
  open(): Promise<Met>;
  /** Rejects when there are sources and none of them can be used; returns what is wrong with some of them. */
  check(): Promise<string | undefined>;
  /** Counters so far; undefined until weather is needed. */
  statistics(): MetStatistics | undefined;
  close(): Promise<void>;
}

export function createLazyMet(config: CoreConfig, log?: Log): LazyMet {
  let opening: Promise<Met> | undefined;
  let opened: Met | undefined;
  const open = (): Promise<Met> => {
    opening ??= openNow(config, log).then(
      (met) => {
        opened = met;
        return met;
      },
      (error: unknown) => {
        // What failed once, for want of threads or files, may work the next time.
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
  const logged = new Map<string, string>();
  const logOnce = (failed: readonly SourceFailure[]) => {
    for (const { source, error } of failed) {
      const message = error instanceof Error ? error.message : String(error);
      if (logged.get(source) === message) continue;
      logged.set(source, message);
      log?.error({ source }, `a weather source cannot be used: ${message}`);
    }
    for (const source of logged.keys())
      if (!failed.some((one) => one.source === source)) logged.delete(source);
  };
  return {
    open,
    async check() {
      if (config.met.sources.length === 0) return undefined;
      const { failuresOf, nothingUsable } = await import('@contrails/engine/weather/errors');
      const entries = await (await open()).catalogue.list();
      const failed = failuresOf(entries);
      logOnce(failed);
      if (failed.length > 0 && failed.length === entries.length) throw nothingUsable(failed);
      return failed.length === 0 ? undefined : failed.map(({ message }) => message).join('; ');
    },
    statistics: () => opened?.statistics(),
    async close() {
      const met = await opening?.catch(() => undefined);
      await met?.close();
    },
  };
}

/** The same weather for those who do not wait for memory that other work holds, but try again later. */
export function withWaitLimit(met: LazyMet, waitLimit: () => WaitLimit): LazyMet {
  return {
    ...met,
    async open() {
      const opened = await met.open();
      return {
        ...opened,
        openWeather: (request, options) =>
          opened.openWeather(request, { waitLimit: waitLimit(), ...options }),
      };
    },
  };
}

async function openNow(config: CoreConfig, log: Log | undefined): Promise<Met> {
  const [{ openMet }, { openSources, weatherThreads }] = await Promise.all([
    import('@contrails/met'),
    import('./sources.ts'),
  ]);
  const sources = await openSources(config, (source, { path, reason }) =>
    log?.error({ source, file: path }, `a weather file is left out: ${reason}`),
  );
  return openMet({
    sources,
    memoryBytes: weatherMemoryBytes(config),
    ...(isSynthetic(config) && { readBytes: SYNTHETIC_READ_BYTES }),
    ...weatherThreads(config),
    onWarning: (source, message) => log?.warn({ source }, message),
  });
}

const MEBIBYTE = 2 ** 20;
/** A day of flights in the weather of the demo needs so much at a time, on small machines too. */
const MIN_AUTO_BYTES = 640 * MEBIBYTE;
/** Of synthetic weather, which is quickly recomputed: a forecast (326 MiB at 1°) plus some flights. */
const SYNTHETIC_BYTES = 400 * MEBIBYTE;
/** Hours of synthetic weather are made one by one: to read several together saves nothing. */
const SYNTHETIC_READ_BYTES = 32 * MEBIBYTE;

/** What weather may take of the memory this process may use. */
export function weatherMemoryBytes(
  { met, server }: Pick<CoreConfig, 'met' | 'server'>,
  limitBytes = memoryLimitBytes(),
): number {
  if (met.memory_mib !== 'auto') return met.memory_mib * MEBIBYTE;
  const allowed = server.memory_mib === 'auto' ? limitBytes : server.memory_mib * MEBIBYTE;
  const bytes = Math.min(limitBytes, allowed);
  return Math.floor(
    isSynthetic({ met })
      ? Math.min(bytes / 3, SYNTHETIC_BYTES)
      : Math.max(bytes / 4, Math.min(bytes / 3, MIN_AUTO_BYTES)),
  );
}

function isSynthetic({ met: { sources } }: Pick<CoreConfig, 'met'>): boolean {
  return sources.length > 0 && sources.every(({ kind }) => kind === 'synthetic');
}
