/** A flight of the inventory, exactly as its models got it. */
import { service } from '../service.ts';
import type { FlightInput } from '../track.ts';
import { inputOfBody } from './linked-body.ts';

/** The flight that `inventory=DATE/FLIGHT_ID` of a link names; undefined without one. */
export async function linkedInventoryFlight(
  parameters: URLSearchParams,
  signal: AbortSignal,
): Promise<FlightInput | undefined> {
  const [date, id] = (parameters.get('inventory') ?? '').split('/', 2);
  if (date === undefined || id === undefined) return undefined;
  return inputOfBody(await service.inventory.flight({ date, flight_id: id }, { signal }));
}
