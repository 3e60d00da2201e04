/** L4 over HTTP: what is known of the contrails of flights. */

import { answerOf, VIEWS } from '@contrails/engine/attribution/answer';
import {
  FLIGHT_KEY_EXAMPLE,
  FLIGHT_KEY_FORM,
  type FlightKey,
  parseFlightKey,
} from '@contrails/engine/attribution/flight-key';
import type { FlightResult } from '@contrails/engine/attribution/results';
import { type Exclusions, isExcluded } from '@contrails/engine/inventory/leg-record';
import type { App } from '@contrails/platform/http/app';
import { choice } from '@contrails/runtime/options/choice';
import { splitList } from '@contrails/runtime/options/list';
import { byDefault, invalid, optional, type Parameter } from '@contrails/runtime/options/parameter';
import { query } from '@contrails/runtime/options/query';
import { Type } from 'typebox';
import type { Services } from '../../../services.ts';
import { type SearchOutcome, searchFlights } from '../attribution/search.ts';
import { findFlight } from '../attribution/table.ts';
import { type ObservationRules, SATELLITES } from '../config.ts';
import { ATTRIBUTION_LIST } from './schema.ts';

export type AttributionServices = Pick<Services, 'database' | 'jobs'>;

const MAX_FLIGHTS = 100;

const DEPARTURE = '~[0-9]{4}-[0-9]{2}-[0-9]{2}';
const AIRPORT = '~(?:[A-Za-z]{3}|[A-Za-z0-9]{4})';
const NUMBER = '(?![0-9]{2}~)[A-Za-z0-9]{2}~0*[1-9][0-9]{0,3}[A-Za-z]?';
const CALLSIGN = '[A-Za-z][A-Za-z0-9]{1,7}';
const KEY_PATTERN = `^ *(?:${NUMBER}${DEPARTURE}${AIRPORT}|${CALLSIGN}${DEPARTURE}(?:${AIRPORT})?) *$`;

/** A key that names no flight, and why. */
interface MalformedKey {
  readonly text: string;
  readonly wrong: string;
}

/** One to a hundred keys. Malformed ones are reported with the others; a request of nothing else is refused. */
const flights: Parameter<readonly (FlightKey | MalformedKey)[]> = {
  schema: Type.Array(Type.String({ pattern: KEY_PATTERN, examples: [FLIGHT_KEY_EXAMPLE] }), {
    minItems: 1,
    maxItems: MAX_FLIGHTS,
    description: `Flights as \`${FLIGHT_KEY_FORM}\`, one for each repetition of the parameter. Airports are IATA or ICAO codes; with a callsign the airport may be omitted. The date is the local date of scheduled departure at the airport. A malformed key among others is returned as \`unknown_flight\` with its \`reason\`.`,
  }),
  remedy: `give 1 to ${MAX_FLIGHTS} flights as ${FLIGHT_KEY_FORM}, such as ${FLIGHT_KEY_EXAMPLE}`,
  read(name, raw) {
    const texts = splitList(raw);
    if (texts.length > MAX_FLIGHTS) {
      return invalid(`${name} has ${texts.length} values; give 1 to ${MAX_FLIGHTS}`, 'length');
    }
    const keys = texts.map((given) => {
      const key = parseFlightKey(given);
      if (!('wrong' in key)) return key;
      const text = given.trim().slice(0, 80);
      const wrong = `${name} ${JSON.stringify(text)} is not accepted: ${key.wrong}; write ${FLIGHT_KEY_FORM}, such as ${FLIGHT_KEY_EXAMPLE}`;
      return { text, wrong };
    });
    const malformed = keys.filter((key) => 'wrong' in key);
    if (malformed.length < keys.length) return { value: keys };
    return { errors: malformed.map(({ wrong }, index) => ({ msg: wrong, type: 'flight', index })) };
  },
};

/** The address of the specification, and that of the public service whose clients are to work. */
const PATHS = {
  getFlightAttributions: '/v1/observations/provider-b/geostationary/L4/attributions',
  getFlightAttributionsAlias: '/v1/observations/google/geostationary/L4/attributions',
} as const;

export function serveAttributions(
  app: App,
  services: AttributionServices,
  rules: ObservationRules,
  exclusions: Exclusions,
): void {
  // Results from before the operator left a flight out are still stored.
  const shown = (results: readonly FlightResult[] = []) =>
    results.filter(({ details }) => !isExcluded(details.icao_address, details.carrier, exclusions));
  const satellites = [...new Set(rules.sources.map(({ satellite }) => satellite))];
  for (const [operationId, path] of Object.entries(PATHS)) {
    app.get(
      path,
      {
        config: { scope: 'observations' },
        schema: {
          operationId,
          tags: ['observations'],
          summary: 'Satellite-observed contrails by flight',
          description:
            'One element for each flight, in the order of the request. `status` is `attributed`, `no_contrail_observed` (analysed and mostly in view; absence is not proven), `not_covered` or `unknown_flight`; `status_detail` refines `not_covered` into `partial_coverage`, `no_coverage`, `not_analyzed` with `reason`, and `pending`; for `unknown_flight` it is `not_found`, or `malformed` with the `reason`. Lengths and forcings have the names of both contracts.',
          querystring: query({
            flight: flights,
            satellite: optional(
              choice(SATELLITES, 'Only observations by this satellite; default: all satellites.'),
            ),
            view: byDefault(
              choice(
                VIEWS,
                'How `summary.energy_forcing_J` is computed: from attributed segments, from the model alone, or from both.',
              ),
              'observation',
            ),
          }),
          response: { 200: ATTRIBUTION_LIST },
        },
      },
      async (request) => {
        const { flight: given, satellite, view } = request.query;
        const options = { view };
        const keys = given.flatMap((key) => ('wrong' in key ? [] : [key]));
        const stored = await Promise.all(keys.map((key) => findFlight(services.database, key, satellite)));
        const unknown = new Map(
          keys.flatMap((key, k) => (stored[k]?.length === 0 ? [[key.text, key] as const] : [])),
        );
        const searched: ReadonlyMap<string, SearchOutcome> =
          unknown.size === 0
            ? new Map()
            : await searchFlights(
                services,
                {
                  satellites: satellite === undefined ? satellites : [satellite],
                  isIndexed: satellites.length > 0,
                },
                [...unknown.values()],
                request.clientAborted,
              );
        const storedOf = new Map(keys.map((key, k) => [key, stored[k] ?? []]));
        return given.map((key) => {
          if ('wrong' in key) return malformedAnswer(key);
          const results = storedOf.get(key) ?? [];
          if (results.length > 0) return answerOf(key, shown(results), options);
          const outcome = searched.get(key.text) ?? 'unknown';
          if (outcome === 'unknown') return answerOf(key, [], options);
          return 'results' in outcome
            ? answerOf(key, shown(outcome.results), options)
            : answerOf(key, [], options, outcome);
        });
      },
    );
  }
}

function malformedAnswer({ text, wrong }: MalformedKey) {
  return {
    flight: text,
    status: 'unknown_flight',
    status_detail: 'malformed',
    reason: wrong,
    attributions: [],
    observations: [],
  };
}
