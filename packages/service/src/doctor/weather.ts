import type { SourceFinding, SourceSummary } from '@contrails/met';
import { SYNC_SOURCES, type SyncSourceName } from '@contrails/met/sync-sources';
import { type Finding, shownBytes } from '@contrails/platform/finding';
import { memoryLimitBytes, workMemoryBytes } from '@contrails/platform/memory-limit';
import { HOUR_MS, isoDate } from '@contrails/runtime';
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
        message: 'no source is configured, so no model can run',
        remedy:
          'fetch real weather with "contrails met sync ecmwf", answer three questions with "contrails init", or try the service with "contrails serve --demo"',
      },
    ];
  }
  const isMadeUp = sources.every(({ kind }) => kind === 'synthetic');
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
        const all = [...ageFinding(summary), ...ofArchive(name, findings), ...ofFamilies.flat()];
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
  const onlySynthetic: Finding = {
    check: 'weather',
    state: 'warn',
    message: 'all weather is synthetic: results are not about real flights',
    remedy: 'fetch real weather with "contrails met sync ecmwf"',
  };
  return [...found.flat(), ...(isMadeUp ? [onlySynthetic] : [])];
}

/** The archive of this source has nothing that contrails need of radiation and vertical velocity. */
const WITHOUT_COCIP: SyncSourceName = 'ukmo';

/** What an archive does not have is not a fault of this installation. */
function ofArchive(name: string, findings: readonly SourceFinding[]): readonly SourceFinding[] {
  if (name !== WITHOUT_COCIP) return findings;
  return findings.map(({ lacks, ...finding }) =>
    lacks === undefined || finding.state === 'warn'
      ? finding
      : {
          state: 'warn',
          message: `there is no ${lacks} in the archive: cocip does not run with this source`,
          remedy: 'for cocip, fetch another source too, such as "contrails met sync ecmwf"',
        },
  );
}

/** A synced source has a new run every six hours at least [ms]. */
const MAX_RUN_AGE_MS = 18 * HOUR_MS;

function ageFinding({ name, runs }: SourceSummary, nowMs = Date.now()): SourceFinding[] {
  const { referenceTime } = runs.find(({ type }) => type === 'forecast') ?? {};
  if (!SYNC_SOURCES.some((source) => source === name)) return [];
  if (referenceTime === undefined || nowMs - referenceTime <= MAX_RUN_AGE_MS) return [];
  const hours = Math.floor((nowMs - referenceTime) / HOUR_MS);
  return [
    {
      state: 'warn',
      message: `the newest run starts ${hours} h ago`,
      remedy: `fetch the newest one with "contrails met sync ${name}", or add it to met.sync.sources`,
    },
  ];
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
