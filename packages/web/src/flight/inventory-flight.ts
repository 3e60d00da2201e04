/** A flight of the inventory, exactly as its models got it. */
import type { Flight, InventoryFlight } from '@contrails/client';
import { service } from '../service.ts';
import type { FlightInput } from '../track.ts';

/** The flight that `inventory=DATE/FLIGHT_ID` of a link names; undefined without one. */
export async function linkedInventoryFlight(
  parameters: URLSearchParams,
  signal: AbortSignal,
): Promise<FlightInput | undefined> {
  const [date, id] = (parameters.get('inventory') ?? '').split('/', 2);
  if (date === undefined || id === undefined) return undefined;
  return inventoryInput(await service.inventory.flight({ date, flight_id: id }, { signal }));
}

function inventoryInput(body: InventoryFlight): FlightInput {
  const { callsign, departure_airport_icao: from, arrival_airport_icao: to } = body;
  const route = from === null && to === null ? '' : ` ${from ?? '?'}–${to ?? '?'}`;
  return {
    name: `${callsign ?? body.flight_id}${route}`,
    aircraftType: body.aircraft_type,
    points: body.time.map((text, k) => ({
      timeMs: Date.parse(text),
      longitude: body.longitude[k] as number,
      latitude: body.latitude[k] as number,
      altitudeFt: body.altitude[k] as number,
    })),
    body: body as Flight,
  };
}
