import { defineKernel } from '@contrails/runtime/compute';
import { worldAirports } from '../airports/airport-table.ts';
import { type BuildSettings, type BuiltAirframe, buildFlights } from '../build/build-flights.ts';
import { type PackedAirframe, reportsOf } from './airframe.ts';

export interface BuildTask {
  readonly airframes: readonly PackedAirframe[];
  readonly settings: Pick<BuildSettings, 'isStrict' | 'ambiguousIds'>;
}

// Read when the thread starts, while tables are still being read.
worldAirports();

/** Builds the flights of some airframes in turn. */
export default defineKernel<BuildTask, BuiltAirframe[]>(({ airframes, settings }) => (_, context) => {
  const built = airframes.map((airframe) => {
    context.throwIfCancelled();
    return buildFlights(reportsOf(airframe), settings);
  });
  for (const { flights } of built) {
    for (const { flight } of flights) {
      if (flight !== undefined) for (const buffer of buffersOf(flight)) context.transfer(buffer);
    }
  }
  return built;
});

function buffersOf(flight: { readonly columns: object }): Set<ArrayBuffer> {
  const values = [...Object.values(flight), ...Object.values(flight.columns)];
  return new Set(
    values.flatMap((value) =>
      ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer ? [value.buffer] : [],
    ),
  );
}
