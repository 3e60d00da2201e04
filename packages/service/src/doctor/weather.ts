import type { SourceSummary } from '@contrails/met';
import type { Config } from '../config/load.ts';
import { MAX_AGE_HOURS } from '../families/forecast/compute/cocip-model.ts';
import { memoryLimitBytes } from '../memory-limit.ts';
import { weatherMemoryBytes } from '../weather/lazy-met.ts';
import { type Finding, shownBytes } from './finding.ts';

/** Near the middle of the cruise levels [hPa]; one level of one time shows a wrong unit as well as all. */
const LOOKED_AT_HPA = 250;

type ForecastSource = Pick<SourceSummary, 'levels' | 'resolutionDeg' | 'latitude'> & {
  readonly runs: readonly Pick<SourceSummary['runs'][number], 'referenceTime'>[];
};

/** One finding for each fault of each source; one `ok` for a source without any. */
export async function checkSources(config: Config): Promise<Finding[]> {
  const { sources } = config.met;
  if (sources.length === 0) {
    return [
      {
        check: 'weather',
        state: 'warn',
        says: 'no source is configured, so that no model can run',
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
        const all = [
          ...findings,
          ...checkForecastMemory(summary, weatherMemoryBytes(config, memoryLimitBytes())),
        ];
        if (all.length > 0) return all.map((finding) => ({ check, ...finding }));
        const times = summary.runs.map(({ first, last }) => `${shownDay(first)} to ${shownDay(last)}`);
        return [
          { check, state: 'ok', says: `${summary.dataset} ${summary.product}, ${times.join(' and ')}` },
        ];
      } catch (error) {
        return [
          {
            check,
            state: 'fail',
            says: error instanceof Error ? error.message : String(error),
            remedy: 'correct the paths of the source in met.sources, or its files',
          },
        ];
      }
    }),
  );
  return found.flat();
}

/** A forecast holds the weather of a whole life of contrails, six variables on these levels [hPa] and two of radiation. */
const FORECAST_TIMES = MAX_AGE_HOURS + 1;
const [TOP_HPA, BOTTOM_HPA] = [50, 450];
const [LEVEL_BYTES, COLUMN_BYTES] = [6 * 4, 2 * 4];

/** Whether the memory holds what one part of a forecast looks at. */
export function checkForecastMemory(
  { levels, resolutionDeg: [north, east], latitude: [first, last], runs }: ForecastSource,
  budgetBytes: number,
): Omit<Finding, 'check'>[] {
  if (runs.every(({ referenceTime }) => referenceTime === undefined)) return [];
  const depth = levels.filter((level) => level >= TOP_HPA && level <= BOTTOM_HPA).length;
  const columns = (Math.abs(last - first) / north + 1) * (360 / east + 1);
  const bytes = FORECAST_TIMES * columns * (depth * LEVEL_BYTES + COLUMN_BYTES);
  if (bytes <= budgetBytes) return [];
  return [
    {
      state: 'warn',
      says: `a forecast holds about ${shownBytes(bytes)} of this weather, and met.memory_mib allows ${shownBytes(budgetBytes)}: no contrail grids are computed`,
      remedy: `set met.memory_mib to ${Math.ceil((1.1 * bytes) / 2 ** 20)} or more, or take weather on a coarser grid`,
    },
  ];
}

export function checkWeatherMemory(config: Config, limitBytes = memoryLimitBytes()): Finding {
  const bytes = weatherMemoryBytes(config, limitBytes);
  const says = `${shownBytes(bytes)} of ${shownBytes(limitBytes)}`;
  return bytes > 0.7 * limitBytes
    ? {
        check: 'memory budget',
        state: 'warn',
        says,
        remedy: 'set met.memory_mib to auto or leave a third of the memory to the computations',
      }
    : { check: 'memory budget', state: 'ok', says };
}

function shownDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
