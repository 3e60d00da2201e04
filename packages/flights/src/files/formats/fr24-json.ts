/** Playback documents of FlightRadar24. */
import type { FlightFormat } from '../contract.ts';
import { FlightDraft } from '../draft.ts';
import { codeOf } from '../flight.ts';
import { readJson } from '../json.ts';
import { FlightFileError } from '../refusals.ts';
import { detailOf, listOf, numberOf, objectOf, stemOf, timeOf } from '../values.ts';

const NAME = 'fr24_json';

export const fr24Json: FlightFormat = {
  name: NAME,
  contentTypes: ['application/json'],
  recognise: ({ text }) => text.startsWith('{') && /^\{\s*"result"\s*:\s*\{/.test(text),

  async *read([content], { report }) {
    if (content === undefined) return;
    const document = objectOf(await readJson(content, report));
    const data = objectOf(objectOf(objectOf(document.result).response).data);
    const { identification, aircraft, airport, track } = objectOf(data.flight);
    if (!Array.isArray(track)) {
      throw new FlightFileError(
        'no_flights',
        'the document has no result.response.data.flight.track; it is not a playback of a flight',
      );
    }
    const identity = objectOf(identification);
    const airframe = objectOf(objectOf(aircraft).identification);
    const airportOf = (side: string) =>
      codeOf(detailOf(objectOf(objectOf(objectOf(airport)[side]).code).icao));
    const draft = new FlightDraft(
      { format: NAME, kind: 'flown', file: content.name, unit: 'waypoint', dropsTaxi: true },
      report,
    );
    const callsign = detailOf(identity.callsign);
    draft.know({
      flight_id: detailOf(identity.id) ?? callsign ?? stemOf(content.name),
      callsign,
      flight_number: detailOf(objectOf(identity.number).default),
      tail_number: detailOf(airframe.registration),
      icao_address: codeOf(detailOf(airframe.modes)),
      aircraft_type: codeOf(detailOf(objectOf(objectOf(aircraft).model).code)),
      departure_airport_icao: airportOf('origin'),
      arrival_airport_icao: airportOf('destination'),
    });
    listOf(track).forEach((one, k) => {
      const point = objectOf(one);
      draft.add({
        timeMs: timeOf(point.timestamp),
        longitude: numberOf(point.longitude),
        latitude: numberOf(point.latitude),
        altitudeFt: numberOf(objectOf(point.altitude).feet),
        speedKt: numberOf(objectOf(point.speed).kts),
        at: k + 1,
      });
    });
    const flight = draft.finish();
    if (flight !== undefined) yield flight;
  },
};
