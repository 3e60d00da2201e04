import { contains } from '@contrails/engine/grid/layout';
import { worldAirports } from '@contrails/flights';
import { type SyntheticAirframe, syntheticFleet } from '@contrails/testbed/traffic';
import { boxOf } from '../../../../src/config/box.ts';
import { telemetryFamily } from '../../../../src/families/telemetry/family.ts';

/** The airframes that fly in the demo. */
export function demoFleet(): readonly SyntheticAirframe[] {
  const { sources } = telemetryFamily.demo.settings({});
  const [source] = sources ?? [];
  if (source === undefined) throw new Error('the demo has no traffic');
  const box = boxOf('bbox', source.bbox);
  return syntheticFleet({
    airports: worldAirports().all,
    legsPerDay: source.legs_per_day,
    seed: 1,
    isServed: ({ longitude, latitude }) => contains(box, longitude, latitude),
  });
}
