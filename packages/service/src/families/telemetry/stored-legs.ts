/** The legs of one flight, registration or airframe on a day, from the telemetry of this service. */
import { type BuiltFlight, buildFlights } from '@contrails/flights';
import { isWanted, type ReplayQuery } from '@contrails/flights/replay';
import { DAY_MS, HOUR_MS } from '@contrails/runtime';
import { listImports } from '../../telemetry-store/imports.ts';
import { airframeReports, findAddresses, readAircraftRows } from '../../telemetry-store/read.ts';
import type { TelemetryServices } from '../../telemetry-store/services.ts';

/** Legs of a day end by then. */
const LONGEST_MS = 20 * HOUR_MS;

export async function storedLegs(
  services: TelemetryServices,
  { name, dayMs }: ReplayQuery,
  memoryMiB: number,
): Promise<BuiltFlight[]> {
  const window = { fromMs: dayMs - DAY_MS, toMs: dayMs + DAY_MS + LONGEST_MS, memoryMiB };
  const day = { ...window, fromMs: dayMs };
  const addresses = await findAddresses(services, day, name.trim().toUpperCase());
  if (addresses.length === 0) return [];
  const imports = await listImports(services.database, window.fromMs, window.toMs);
  const legs: BuiltFlight[] = [];
  await readAircraftRows(services, { ...window, addresses }, (rows) => {
    const { flights } = buildFlights(airframeReports(rows));
    legs.push(
      ...flights.filter((leg) => isWanted(leg, { name, dayMs }) && imports.counts(rows, leg.firstMs)),
    );
  });
  return legs.sort((a, b) => a.firstMs - b.firstMs);
}
