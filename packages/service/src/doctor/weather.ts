import { type Finding, shownBytes } from '@contrails/platform/finding';
import { memoryLimitBytes, workMemoryBytes } from '@contrails/platform/memory-limit';
import { isoDate } from '@contrails/runtime';
import type { CoreConfig } from '../config/core.ts';
import { families } from '../families/index.ts';
import { weatherMemoryBytes } from '../weather/lazy-met.ts';

/** Near the middle of the cruise levels [hPa]; one level of one time shows a wrong unit as well as all. */
const LOOKED_AT_HPA = 250;

/** One finding for each problem of each source; one `ok` for a source without any. */
export async function checkSources(config: CoreConfig): Promise<Finding[]> {
  const { sources } = config.met;
  if (sources.length === 0) {
    return [
      {
        check: 'weather',
        state: 'warn',
        message: 'no source is configured, so that no model can run',
        remedy: 'add one under met.sources, or try the service with "contrails serve --demo"',
      },
    ];
  }
  const { checkWeather } = await import('../weather/inspect.ts');
  const found = await Promise.all(
    sources.map(async ({ name }): Promise<Finding[]> => {
      const check = `weather ${name}`;
      try {
        const { findings, summary } = await checkWeather(config, name, { levelHpa: LOOKED_AT_HPA });
        const memoryBytes = weatherMemoryBytes(config, memoryLimitBytes());
        const ofFamilies = await Promise.all(
          families.map(({ doctor }) => doctor?.checkWeather?.(summary, memoryBytes) ?? []),
        );
        const all = [...findings, ...ofFamilies.flat()];
        if (all.length > 0) return all.map((finding) => ({ check, ...finding }));
        const times = summary.runs.map(({ first, last }) => `${isoDate(first)} to ${isoDate(last)}`);
        return [
          { check, state: 'ok', message: `${summary.dataset} ${summary.product}, ${times.join(' and ')}` },
        ];
      } catch (error) {
        return [
          {
            check,
            state: 'fail',
            message: error instanceof Error ? error.message : String(error),
            remedy: 'correct the paths of the source in met.sources, or its files',
          },
        ];
      }
    }),
  );
  return found.flat();
}

export function checkWeatherMemory(config: CoreConfig, limitBytes = memoryLimitBytes()): Finding {
  const bytes = weatherMemoryBytes(config, limitBytes);
  const allowedBytes = Math.min(limitBytes, workMemoryBytes(config, limitBytes));
  const message = `${shownBytes(bytes)} of ${shownBytes(limitBytes)}`;
  return bytes > 0.7 * allowedBytes
    ? {
        check: 'memory budget',
        state: 'warn',
        message,
        remedy:
          'set met.memory_mib to auto, or leave a third of the memory (server.memory_mib) to the computations',
      }
    : { check: 'memory budget', state: 'ok', message };
}
