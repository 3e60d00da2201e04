/** A flight in the address itself, as `contrails replay --open` makes it. */
import type { Flight, InventoryFlight } from '@contrails/client';
import type { FlightInput } from '../track.ts';

/** The flight that `body=` of a link is: a body of a request as JSON, deflated, in base64url. Undefined without one. */
export async function linkedBody(parameters: URLSearchParams): Promise<FlightInput | undefined> {
  const text = parameters.get('body');
  if (text === null) return undefined;
  try {
    const packed = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    );
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return inputOfBody((await new Response(unpacked).json()) as InventoryFlight);
  } catch (error) {
    throw new Error('the link does not have a whole flight; copy all of it', { cause: error });
  }
}

export function inputOfBody(body: InventoryFlight): FlightInput {
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
