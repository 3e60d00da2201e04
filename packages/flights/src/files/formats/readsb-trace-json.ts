/** Traces of readsb: the reports of one airframe during a day. */
import type { FlightFormat } from '../contract.ts';
import { FlightDraft } from '../draft.ts';
import { codeOf } from '../flight.ts';
import { readJson } from '../json.ts';
import { detailOf, listOf, numberOf, objectOf, stemOf } from '../values.ts';

const NAME = 'readsb_trace_json';

export const readsbTraceJson: FlightFormat = {
  name: NAME,
  contentTypes: ['application/json'],
  recognise: ({ text }) => text.startsWith('{') && /"trace"\s*:\s*\[/.test(text),

  async *read([content], { report }) {
    if (content === undefined) return;
    const document = objectOf(await readJson(content, report));
    const draft = new FlightDraft({ format: NAME, kind: 'flown', file: content.name, unit: 'row' }, report);
    draft.know({
      flight_id: detailOf(document.r) ?? detailOf(document.icao) ?? stemOf(content.name),
      tail_number: detailOf(document.r),
      icao_address: codeOf(detailOf(document.icao)),
      aircraft_type: codeOf(detailOf(document.t)),
    });
    const start = numberOf(document.timestamp);
    listOf(document.trace).forEach((row, k) => {
      const [seconds, latitude, longitude, altitude, , , , , details] = listOf(row);
      draft.know({ callsign: detailOf(objectOf(details).flight) });
      draft.add({
        timeMs: Math.round(1000 * (start + numberOf(seconds))),
        longitude: numberOf(longitude),
        latitude: numberOf(latitude),
        altitudeFt: numberOf(altitude),
        refusal: altitude === 'ground' ? 'on_ground' : undefined,
        at: k + 1,
      });
    });
    const flight = draft.finish();
    if (flight !== undefined) yield flight;
  },
};
