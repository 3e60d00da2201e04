/** Which flights of a day were followed through the images, without a list of their keys. */
import { answerOf, VIEWS } from '@contrails/engine/attribution/answer';
import type { FlightResult } from '@contrails/engine/attribution/results';
import { type Exclusions, isExcluded } from '@contrails/engine/inventory/leg-record';
import type { App } from '@contrails/platform/http/app';
import { DAY_MS, isoDate } from '@contrails/runtime';
import { choice } from '@contrails/runtime/options/choice';
import { number } from '@contrails/runtime/options/number';
import { byDefault, optional } from '@contrails/runtime/options/parameter';
import { query } from '@contrails/runtime/options/query';
import { time } from '@contrails/runtime/options/time';
import { listFlights } from '../attribution/table.ts';
import { SATELLITES } from '../config.ts';
import type { AttributionServices } from './attributions.ts';
import { ATTRIBUTION_LIST } from './schema.ts';

const STATUSES = [
  'attributed',
  'not_observed',
  'partial_coverage',
  'no_coverage',
  'not_analyzed',
  'pending',
] as const;
const MAX_FLIGHTS = 500;

export function serveFlightList(
  app: App,
  { database }: Pick<AttributionServices, 'database'>,
  exclusions: Exclusions,
): void {
  app.get(
    '/v1/observations/flights',
    {
      config: { scope: 'observations' },
      schema: {
        tags: ['observations'],
        summary: 'Flights of a day with satellite-observed contrails',
        description:
          'Flights whose first report is on the date, in chronological order, each with its evidence as returned by `attributions`. `flight` is the key for requesting a single flight.',
        querystring: query({
          date: time('The day; the time of day is ignored.'),
          satellite: optional(
            choice(SATELLITES, 'Only observations by this satellite; default: all satellites.'),
          ),
          status: byDefault(choice(STATUSES, 'Only flights with this `status_detail`.'), 'attributed'),
          view: byDefault(choice(VIEWS, 'How `summary.energy_forcing_J` is computed.'), 'observation'),
          limit: byDefault(
            number({
              integer: true,
              minimum: 1,
              maximum: MAX_FLIGHTS,
              description: 'Maximum number of flights.',
            }),
            100,
          ),
        }),
        response: { 200: ATTRIBUTION_LIST },
      },
    },
    async (request) => {
      const { date, satellite, status, view, limit } = request.query;
      const fromMs = Math.floor(date / DAY_MS) * DAY_MS;
      const flights = await listFlights(database, {
        fromMs,
        toMs: fromMs + DAY_MS,
        status,
        satellite,
        limit,
      });
      return flights
        .map((results) =>
          results.filter(({ details }) => !isExcluded(details.icao_address, details.carrier, exclusions)),
        )
        .flatMap((results) =>
          results[0] === undefined ? [] : answerOf(keyOf(results[0]), results, { view }),
        );
    },
  );
}

/** The key of the flight, by its callsign where telemetry reports no more. */
function keyOf({ details, firstMs }: FlightResult) {
  const { carrier, flight_number: number, departure_date: date, departure_airport_iata: airport } = details;
  const text =
    carrier !== null && number !== null && date !== null && airport !== null
      ? [carrier, number, date, airport].join('~')
      : [details.callsign ?? details.icao_address, isoDate(firstMs)].join('~');
  return { text };
}
