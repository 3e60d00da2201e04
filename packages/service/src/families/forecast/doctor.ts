import { MAX_AGE_HOURS } from '@contrails/engine/grid/cocip-model';
import type { SourceSummary } from '@contrails/met';
import { type Finding, shownBytes } from '@contrails/platform/finding';

type ForecastSource = Pick<SourceSummary, 'levels' | 'resolutionDeg' | 'latitude'> & {
  readonly runs: readonly Pick<SourceSummary['runs'][number], 'referenceTime'>[];
};

/** A forecast holds the weather of a whole life of contrails, six variables on these levels [hPa] and two of radiation. */
const FORECAST_TIMES = MAX_AGE_HOURS + 1;
const [TOP_HPA, BOTTOM_HPA] = [50, 450];
const [LEVEL_BYTES, COLUMN_BYTES] = [6 * 4, 2 * 4];

/** Whether memory holds the weather that one forecast task reads. */
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
      message: `a forecast holds about ${shownBytes(bytes)} of this weather, and met.memory_mib allows ${shownBytes(budgetBytes)}: no contrail grids are computed`,
      remedy: `set met.memory_mib to ${Math.ceil((1.1 * bytes) / 2 ** 20)} or more, or take weather on a coarser grid`,
    },
  ];
}
