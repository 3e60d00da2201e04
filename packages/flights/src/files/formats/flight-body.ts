/** Bodies of this service: a flight or a fleet as JSON, or one on each line. */
import type { Content } from '../content.ts';
import { type FlightFormat, type FormatContext, Gathered } from '../contract.ts';
import { codeOf, MEASURED, type Measured } from '../flight.ts';
import { readJson } from '../json.ts';
import { FlightFileError } from '../refusals.ts';
import { lineBatches } from '../text.ts';
import { detailOf, METRES_PER_FOOT, numberOf, objectOf, stemOf, timeOf } from '../values.ts';

const NAME = 'flight';

export const flightBodyFormat: FlightFormat = {
  name: NAME,
  contentTypes: ['application/json', 'application/x-ndjson'],
  recognise: ({ text }) => /^[[{]/.test(text) && /"longitude"\s*:\s*\[/.test(text),

  async *read([content], context) {
    if (content === undefined) return;
    const { report } = context;
    const flights = new Gathered<string>(
      { format: NAME, kind: 'flown', file: content.name, unit: 'waypoint' },
      report,
    );
    let number = 0;
    for await (const body of bodiesOf(content, context))
      addBody(objectOf(body), ++number, content.name, flights);
    yield* flights.finish();
  },
};

async function* bodiesOf(content: Content, { report }: FormatContext): AsyncGenerator<unknown> {
  const { lines, text } = content.head;
  if (text.startsWith('{') && isJson(lines[0] ?? '') && lines.length > 1) {
    for await (const batch of lineBatches(content, report)) {
      for (const { text: line, number } of batch) {
        if (!isJson(line)) throw new FlightFileError('parse_error', `line ${number} is not valid JSON`);
        yield JSON.parse(line);
      }
    }
    return;
  }
  const document = await readJson(content, report);
  if (Array.isArray(document)) yield* document;
  else yield document;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function addBody(
  body: ReturnType<typeof objectOf>,
  number: number,
  file: string,
  flights: Gathered<string>,
): void {
  const altitudeName =
    ['altitude', 'altitude_ft', 'altitude_m'].find((name) => body[name] !== undefined) ?? 'altitude';
  const column = (name: string): readonly unknown[] => {
    const values = body[name];
    if (Array.isArray(values)) return values;
    throw new FlightFileError(
      'missing_columns',
      `flight ${number} has no list ${name} with a value for each waypoint`,
    );
  };
  const [time, longitude, latitude, altitude] = ['time', 'longitude', 'latitude', altitudeName].map(
    column,
  ) as [readonly unknown[], readonly unknown[], readonly unknown[], readonly unknown[]];
  if ([longitude, latitude, altitude].some(({ length }) => length !== time.length)) {
    throw new FlightFileError(
      'parse_error',
      `flight ${number} has ${time.length} times, ${longitude.length} longitudes, ${latitude.length} latitudes and ${altitude.length} altitudes; give one of each for every waypoint`,
    );
  }
  const scale = altitudeName === 'altitude_m' ? 1 / METRES_PER_FOOT : 1;
  const measured = MEASURED.filter((name) => Array.isArray(body[name]));
  const at = (value: unknown, k: number) => (Array.isArray(value) ? value[k] : value);
  time.forEach((one, k) => {
    const id = detailOf(at(body.flight_id, k)) ?? (number > 1 ? `${stemOf(file)} ${number}` : stemOf(file));
    const draft = flights.of(id, () => {
      const mass = numberOf(at(body.takeoff_mass, k));
      const detail = (name: string) => detailOf(at(body[name], k));
      return {
        flight_id: id,
        aircraft_type: codeOf(detail('aircraft_type')),
        callsign: detail('callsign'),
        flight_number: detail('flight_number'),
        tail_number: detail('tail_number'),
        icao_address: codeOf(detail('icao_address')),
        departure_airport_icao: codeOf(detail('origin_airport_icao')),
        arrival_airport_icao: codeOf(detail('destination_airport_icao')),
        ...(Number.isNaN(mass) ? {} : { takeoff_mass: mass }),
      };
    });
    const values: Partial<Record<Measured, number>> = {};
    for (const name of measured) values[name] = numberOf(at(body[name], k));
    draft.add({
      timeMs: timeOf(one),
      longitude: numberOf(longitude[k]),
      latitude: numberOf(latitude[k]),
      altitudeFt: numberOf(altitude[k]) * scale,
      measured: values,
      at: k + 1,
    });
  });
}
