/** ALL_FT+: flights with their filed, regulated and flown profiles, one on each line. */
import { type FlightFormat, PROFILES, type Profile } from '../contract.ts';
import { FlightDraft } from '../draft.ts';
import { codeOf, type FlightKind } from '../flight.ts';
import { lineBatches } from '../text.ts';
import { clockMs, dayMs, detailOf, numberOf, stemOf } from '../values.ts';

const NAME = 'allft';
const MIN_FIELDS = 120;
/** A line may be cut where the first bytes end; a header has fewer. */
const MIN_SEEN_FIELDS = 60;
const FEET_PER_LEVEL = 100;
/** Numbers of fields, counted from 1. */
const PROFILE_FIELDS: Readonly<Record<Profile, number>> = { ftfm: 86, rtfm: 100, ctfm: 114 };
const KINDS: Readonly<Record<Profile, FlightKind>> = { ftfm: 'planned', rtfm: 'regulated', ctfm: 'flown' };

export const allft: FlightFormat = {
  name: NAME,
  contentTypes: ['text/plain'],
  recognise({ lines, isWhole }) {
    const [, second = ''] = lines;
    const count = second.split(';').length;
    return count >= (isWhole || lines.length > 2 ? MIN_FIELDS : MIN_SEEN_FIELDS);
  },

  async *read([content], { report, options }) {
    if (content === undefined) return;
    let isFirst = true;
    let unnamed = 0;
    for await (const lines of lineBatches(content, report)) {
      for (const { text, number } of lines) {
        if (isFirst) {
          isFirst = false;
          continue;
        }
        const fields = text.split(';');
        const field = (index: number) => fields[index - 1];
        if (fields.length < MIN_FIELDS) {
          report.points++;
          report.refusePoint('parse_error', content.name, `line ${number}`);
          continue;
        }
        const pointsOf = (profile: Profile) =>
          (field(PROFILE_FIELDS[profile]) ?? '').split(' ').filter(Boolean);
        const profile = options.profile ?? PROFILES.find((one) => pointsOf(one).length >= 2) ?? 'ctfm';
        const id = detailOf(field(7)) ?? `${stemOf(content.name)} ${++unnamed}`;
        const points = pointsOf(profile);
        if (points.length === 0) {
          report.refuseFlight(
            'no_points',
            content.name,
            `flight ${id} has no points in its profile ${profile}`,
          );
          continue;
        }
        const draft = new FlightDraft({ format: NAME, kind: KINDS[profile], file: content.name }, report);
        draft.know({
          flight_id: id,
          callsign: detailOf(field(3)),
          airline_icao: codeOf(field(4)),
          icao_address: codeOf(field(57)),
          tail_number: detailOf(field(58)),
          aircraft_type: codeOf(field(5)),
          departure_airport_icao: codeOf(field(1)),
          arrival_airport_icao: codeOf(field(2)),
        });
        for (const point of points) {
          const parts = point.split(':');
          const { longitude, latitude } = coordinateOf(parts[6] ?? '');
          draft.add({
            timeMs: timeOf(parts[0] ?? ''),
            longitude,
            latitude,
            altitudeFt: numberOf(parts[3]) * FEET_PER_LEVEL,
            waypoint: detailOf(parts[1]),
            at: number,
          });
        }
        const flight = draft.finish();
        if (flight !== undefined) yield flight;
      }
    }
  },
};

const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/;

function timeOf(text: string): number {
  const match = TIME.exec(text);
  if (match === null) return Number.NaN;
  const [, year, month, day, hour, minute, second] = match.map(Number) as number[];
  return (
    dayMs(year as number, month as number, day as number) +
    clockMs(hour as number, minute as number, second as number)
  );
}

const COORDINATE = /^(\d\d)(\d\d)(\d\d)([NS])(\d\d\d)(\d\d)(\d\d)([EW])$/;

/** `DDMMSSNDDDMMSSE`; NaN for anything else. */
function coordinateOf(text: string): { longitude: number; latitude: number } {
  const match = COORDINATE.exec(text);
  if (match === null) return { longitude: Number.NaN, latitude: Number.NaN };
  const angle = (at: number) => {
    const [degrees, minutes, seconds] = [0, 1, 2].map((k) => Number(match[at + k])) as [
      number,
      number,
      number,
    ];
    if (minutes > 59 || seconds > 59) return Number.NaN;
    return degrees + minutes / 60 + seconds / 3600;
  };
  return {
    latitude: angle(1) * (match[4] === 'S' ? -1 : 1),
    longitude: angle(5) * (match[8] === 'W' ? -1 : 1),
  };
}
