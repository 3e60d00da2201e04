/** Step climbs of plans, whose waypoints are many minutes apart. */
import { addPseudoWaypoints } from '@contrails/physics/aircraft';
import type { FileFlight, Measured } from './flight.ts';

/**
 * Adds the points where slow climbs and descents of a plan would begin. Measured values are interpolated at them; a point that
 * would not lie within its leg is left out.
 */
export function withPseudoWaypoints(flight: FileFlight): { flight: FileFlight; added: number } {
  const { timeMs } = flight;
  const track = addPseudoWaypoints(flight);
  /** For each row of the new track its row of the plan, with a fraction for added ones. */
  const rows: number[] = [];
  const kept: number[] = [];
  let leg = -1;
  track.timeMs.forEach((time, k) => {
    const isOwn =
      time === timeMs[leg + 1] && track.longitude[k] === flight.longitude[leg + 1] && kept.length >= leg + 1;
    if (isOwn) leg++;
    const [start, end] = [timeMs[leg] as number, timeMs[leg + 1] as number];
    if (!isOwn && !(time > start && time < end)) return;
    rows.push(isOwn ? leg : leg + (time - start) / (end - start));
    kept.push(k);
  });
  const added = kept.length - timeMs.length;
  if (added === 0) return { flight, added };
  const measured: Partial<Record<Measured, Float64Array>> = {};
  for (const [name, values] of Object.entries(flight.measured)) {
    measured[name as Measured] = Float64Array.from(rows, (row) => valueAt(values, row));
  }
  const column = (values: Float64Array) => Float64Array.from(kept, (k) => values[k] as number);
  return {
    added,
    flight: {
      ...flight,
      timeMs: column(track.timeMs),
      longitude: column(track.longitude),
      latitude: column(track.latitude),
      altitudeFt: column(track.altitudeFt),
      measured,
      ...(flight.waypoint === undefined
        ? {}
        : { waypoint: rows.map((row) => flight.waypoint?.[row] ?? null) }),
    },
  };
}

function valueAt(values: Float64Array, row: number): number {
  const before = Math.floor(row);
  const start = values[before] as number;
  return row === before ? start : start + (row - before) * ((values[before + 1] as number) - start);
}
