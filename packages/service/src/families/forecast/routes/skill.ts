/** The last scheduled score of the forecast, as it is served. */
import { noObservations } from '@contrails/engine/skill/run';
import type { Queryable } from '@contrails/platform/database/database';
import { isoSecond } from '@contrails/runtime';
import type { Static } from 'typebox';
import { latestScores } from '../../../forecast-products/scores.ts';
import type { skillAnswer } from './schema.ts';

type ForecastSkill = Static<typeof skillAnswer>;

const COMPARE = 'Only scores on the same times and levels may be called better or worse.';
const PUBLISHED =
  'Published points are for 2024, other weather and other periods unless the period is the same.';

export async function forecastSkill(database: Queryable): Promise<ForecastSkill> {
  const latest = await latestScores(database);
  if (latest === undefined)
    return {
      ...{ scored: null, period: null, forecasts: [], observations: noObservations() },
      ...{ shards: 0, shards_without_forecast: 0, humidity_scaling: null, is_synthetic: false },
      ...{ rows: [], published: [] },
      notes: [
        'The forecast has not been scored yet. Workers score it on the schedule forecast.score once forecast.score.observations is set.',
      ],
    };
  const { scoredMs, result } = latest;
  const { period, humidityScaling, isSynthetic } = result;
  return {
    scored: isoSecond(scoredMs),
    period: period === null ? null : { first: isoSecond(period[0]), last: isoSecond(period[1]) },
    forecasts: [...result.forecasts],
    observations: result.observations,
    shards: result.shards,
    shards_without_forecast: result.withoutForecast,
    humidity_scaling: humidityScaling,
    is_synthetic: isSynthetic,
    rows: result.rows as ForecastSkill['rows'],
    published: result.published as ForecastSkill['published'],
    notes: [
      COMPARE,
      PUBLISHED,
      `Humidity scaling: ${humidityScaling}.`,
      ...(isSynthetic ? ['The weather is made up, and so are the contrails that were observed in it.'] : []),
    ],
  };
}
