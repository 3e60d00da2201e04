/** What the lines of a flight on the map mean. */
import { contrailEntry, FORCING_ENTRY, type LegendEntry } from '../map/legend-entries.ts';
import { type FlightResult, PLAIN_TRACK } from './result.ts';
import { GREAT_CIRCLE } from './routes.ts';

const CONTRAIL_ENTRY = contrailEntry('Contrail at its time: radiative forcing, W/m²');

export function flightLegend({ frames }: FlightResult, hasRoutes = false): LegendEntry[] {
  const plain = { fill: PLAIN_TRACK, fillOpacity: 1, line: PLAIN_TRACK, width: 0 };
  const direct = { fill: GREAT_CIRCLE, fillOpacity: 1, line: GREAT_CIRCLE, width: 0 };
  return [
    { ...FORCING_ENTRY, title: 'Track: energy forcing, MJ per metre' },
    ...(frames.length > 0 ? [CONTRAIL_ENTRY] : []),
    { title: 'no lasting contrail', swatch: plain },
    ...(hasRoutes ? [{ title: 'great circle', swatch: direct }] : []),
  ];
}
