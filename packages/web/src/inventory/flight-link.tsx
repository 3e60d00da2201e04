import { formatRoute } from '../shell/route.ts';
import type { FlightRow } from './day-table.ts';

/** Opens a flight of the inventory in the flight view. */
export function FlightLink({ row: { id, callsign, startMs } }: { readonly row: FlightRow }) {
  const inventory = `${new Date(startMs).toISOString().slice(0, 10)}/${id}`;
  const parameters = new URLSearchParams({ inventory });
  return <a href={formatRoute({ view: 'flight', parameters })}>{callsign || id.slice(0, 8)}</a>;
}
