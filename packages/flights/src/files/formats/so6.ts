/** SO6: segments of flights, one on each line. */
import type { FlightFormat } from '../contract.ts';
import { FlightDraft } from '../draft.ts';
import { codeOf, type FileFlight, type FlightIdentity } from '../flight.ts';
import { lineBatches } from '../text.ts';
import { clockMs, dayMs, detailOf, numberOf } from '../values.ts';

const NAME = 'so6';
const FIELDS = 20;
const DAY_MS = 86_400_000;
const FEET_PER_LEVEL = 100;
const ARC_MINUTES = 60;

export const so6: FlightFormat = {
  name: NAME,
  contentTypes: ['text/plain'],
  recognise({ lines }) {
    const fields = fieldsOf(lines[0] ?? '');
    return (
      fields.length === FIELDS &&
      [5, 6, 11, 12].every((number) => /^\d{1,6}$/.test(fields[number - 1] ?? '')) &&
      [13, 14, 15, 16].every((number) => !Number.isNaN(numberOf(fields[number - 1])))
    );
  },

  async *read([content], { report }) {
    if (content === undefined) return;
    const kind = /_m1[_.]/i.test(content.name) ? 'planned' : 'flown';
    const settings = { format: NAME, kind, file: content.name } as const;
    const flights = new Map<string, Segments>();
    for await (const lines of lineBatches(content, report)) {
      for (const { text, number } of lines) {
        const fields = fieldsOf(text);
        if (fields.length !== FIELDS) {
          report.points++;
          report.refusePoint('parse_error', content.name, `line ${number}`);
          continue;
        }
        const key = `${fields[16]} ${fields[9]}`;
        let segments = flights.get(key);
        if (segments === undefined) {
          report.limitFlights(flights.size + 1);
          segments = new Segments(fields);
          flights.set(key, segments);
        }
        segments.add(fields, number);
      }
    }
    for (const segments of flights.values()) {
      const draft = new FlightDraft(settings, report);
      draft.know(segments.identity);
      segments.addTo(draft);
      const flight: FileFlight | undefined = draft.finish();
      if (flight !== undefined) yield flight;
    }
  },
};

function fieldsOf(line: string): string[] {
  return line.trim().split(/[ \t]+/);
}

/** Time, longitude, latitude and altitude of both ends, sequence and line. */
const WIDTH = 10;

/** The segments of one flight. */
class Segments {
  readonly identity: Partial<FlightIdentity>;
  private readonly values: number[] = [];

  constructor(fields: readonly string[]) {
    this.identity = {
      flight_id: detailOf(fields[16]) ?? '',
      callsign: detailOf(fields[9]),
      aircraft_type: codeOf(fields[3]),
      departure_airport_icao: codeOf(fields[1]),
      arrival_airport_icao: codeOf(fields[2]),
    };
  }

  add(fields: readonly string[], line: number): void {
    const number = (index: number) => numberOf(fields[index - 1]);
    const begin = timeOf(fields[10], fields[4]);
    const end = timeOf(fields[11], fields[5]);
    this.values.push(
      begin,
      number(14) / ARC_MINUTES,
      number(13) / ARC_MINUTES,
      number(7) * FEET_PER_LEVEL,
      // Some writers do not advance the date.
      begin - end > DAY_MS / 2 ? end + DAY_MS : end,
      number(16) / ARC_MINUTES,
      number(15) / ARC_MINUTES,
      number(8) * FEET_PER_LEVEL,
      number(18) || 0,
      line,
    );
  }

  /** The begin of the first segment, then all ends; and begins that differ from the end before. */
  addTo(draft: FlightDraft): void {
    const { values } = this;
    const order = Array.from({ length: values.length / WIDTH }, (_, k) => k * WIDTH);
    order.sort((a, b) => (values[a + 8] as number) - (values[b + 8] as number) || a - b);
    let before = -1;
    let sequence = 0;
    const add = (from: number, line: number) => {
      const [timeMs, longitude, latitude, altitudeFt] = values.slice(from, from + 4) as [
        number,
        number,
        number,
        number,
      ];
      draft.add({ timeMs, longitude, latitude, altitudeFt, sequence: sequence++, at: line });
    };
    for (const start of order) {
      const line = values[start + 9] as number;
      const isJoined =
        before !== -1 && [0, 1, 2, 3].every((k) => Object.is(values[start + k], values[before + k]));
      if (!isJoined) add(start, line);
      add(start + 4, line);
      before = start + 4;
    }
  }
}

/** `YYMMDD` and `HHMMSS`, which may lack leading zeros. */
function timeOf(date: string | undefined, clock: string | undefined): number {
  if (!/^\d{1,6}$/.test(date ?? '') || !/^\d{1,6}$/.test(clock ?? '')) return Number.NaN;
  const [day, time] = [date, clock].map((text) => (text ?? '').padStart(6, '0')) as [string, string];
  const pair = (text: string, at: number) => Number(text.slice(at, at + 2));
  return (
    dayMs(2000 + pair(day, 0), pair(day, 2), pair(day, 4)) +
    clockMs(pair(time, 0), pair(time, 2), pair(time, 4))
  );
}
