import type { RequestFleet } from '@contrails/engine/flights/fleet';
import { performanceTypes } from '@contrails/physics/aircraft';
import { MINUTE_MS, sharedFloat64, sharedUint32 } from '@contrails/runtime';

const FIRST_TIME_MS = Date.UTC(2024, 2, 20);
const STEP_S = 60;
const SPEED_DEG_S = 0.0022;

/** Cruise flights all over the mid-latitudes within twelve hours, a waypoint each minute. */
export function greatCircleFleet(count: number, waypoints: number, first = 0): RequestFleet {
  const columns = Array.from({ length: 4 }, () => sharedFloat64(count * waypoints));
  const [timeMs, longitude, latitude, altitudeFt] = columns as [Column, Column, Column, Column];
  const offsets = sharedUint32(count + 1);
  const types = performanceTypes();
  for (let k = 0; k < count; k++) {
    const f = first + k;
    offsets[k + 1] = (k + 1) * waypoints;
    // Steps that share no factor with the ranges spread the flights evenly.
    const tilt = ((f * 37) % 360) * (Math.PI / 180);
    const inclination = 35 + ((f * 17) % 30);
    for (let i = 0; i < waypoints; i++) {
      const at = k * waypoints + i;
      const along = tilt + (i * STEP_S * SPEED_DEG_S * Math.PI) / 180;
      timeMs[at] = FIRST_TIME_MS + ((f * 41) % 720) * MINUTE_MS + i * STEP_S * 1000;
      latitude[at] = inclination * Math.sin(along);
      longitude[at] = ((((f * 73) % 360) + (along - tilt) * 75 + 180) % 360) - 180;
      altitudeFt[at] = 30_000 + ((f * 7) % 10) * 1000;
    }
  }
  const attributes = Array.from({ length: count }, (_, k) => ({
    id: first + k,
    aircraftType: types[((first + k) * 11) % types.length] as string,
  }));
  return {
    columns: { timeMs, longitude, latitude, altitudeFt },
    offsets,
    attributes,
    requestIndex: undefined,
    flightId: undefined,
  };
}

type Column = ReturnType<typeof sharedFloat64>;
