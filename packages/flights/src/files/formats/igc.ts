/** IGC: recordings of gliders. */
import type { FlightFormat } from '../contract.ts';
import { FlightDraft } from '../draft.ts';
import { FlightFileError } from '../refusals.ts';
import { lineBatches } from '../text.ts';
import { clockMs, dayMs, detailOf, METRES_PER_FOOT, numberOf, stemOf } from '../values.ts';
import { GEOMETRIC } from './tracks.ts';

const NAME = 'igc';
const DAY_MS = 86_400_000;
const DATE = /^HFDTE(?:DATE:?)?\s*(\d\d)(\d\d)(\d\d)/i;
const FIX =
  /^B(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})([NS])(\d{3})(\d\d)(\d{3})([EW])[AV](-\d{4}|\d{5})(-\d{4}|\d{5})/;

export const igc: FlightFormat = {
  name: NAME,
  contentTypes: ['application/vnd.fai.igc'],
  recognise: ({ text, lines }) => /^A[A-Z0-9]{3}/.test(text) && lines.some((line) => DATE.test(line)),

  async *read([content], { report }) {
    if (content === undefined) return;
    const draft = new FlightDraft({ format: NAME, kind: 'flown', file: content.name }, report);
    const fixes: {
      timeMs: number;
      longitude: number;
      latitude: number;
      baro: number;
      gnss: number;
      line: number;
    }[] = [];
    let day = Number.NaN;
    let lastClock = Number.NaN;
    for await (const lines of lineBatches(content, report)) {
      for (const { text, number } of lines) {
        const date = DATE.exec(text);
        if (date !== null) {
          day = dayMs(2000 + Number(date[3]), Number(date[2]), Number(date[1]));
          lastClock = Number.NaN;
        } else if (/^HFGID/i.test(text)) {
          draft.know({ tail_number: detailOf(text.slice(text.indexOf(':') + 1)) });
        } else if (text.startsWith('B')) {
          const fix = FIX.exec(text);
          if (fix === null) {
            draft.add({ ...NOWHERE, refusal: 'parse_error', at: number });
            continue;
          }
          const clock = clockMs(Number(fix[1]), Number(fix[2]), Number(fix[3]));
          if (lastClock - clock > DAY_MS / 2) day += DAY_MS;
          if (!Number.isNaN(clock)) lastClock = clock;
          fixes.push({
            timeMs: day + clock,
            latitude: angleOf(fix, 4) * (fix[7] === 'S' ? -1 : 1),
            longitude: angleOf(fix, 8) * (fix[11] === 'W' ? -1 : 1),
            baro: numberOf(fix[12]),
            gnss: numberOf(fix[13]),
            line: number,
          });
        }
      }
    }
    if (fixes.length === 0) throw new FlightFileError('no_flights', 'the IGC file has no B records');
    const isGeometric = fixes.every(({ baro }) => baro === 0);
    if (isGeometric) report.warn('altitude_geometric', GEOMETRIC);
    draft.know({ flight_id: stemOf(content.name) });
    for (const { baro, gnss, line, ...point } of fixes) {
      draft.add({ ...point, altitudeFt: (isGeometric ? gnss : baro) / METRES_PER_FOOT, at: line });
    }
    const flight = draft.finish();
    if (flight !== undefined) yield flight;
  },
};

const NOWHERE = {
  timeMs: Number.NaN,
  longitude: Number.NaN,
  latitude: Number.NaN,
  altitudeFt: Number.NaN,
};

/** Degrees, minutes and thousandths of minutes. */
function angleOf(fix: RegExpExecArray, at: number): number {
  const minutes = Number(fix[at + 1]) + Number(fix[at + 2]) / 1000;
  return minutes < 60 ? Number(fix[at]) + minutes / 60 : Number.NaN;
}
