import { isoTime } from '@contrails/runtime';
import { nextTurn } from '@contrails/runtime/turns';
import type { RadiationChoice } from '../catalogue/catalogue.ts';
import { MetError } from '../errors.ts';
import type { RadiationField } from '../interpolate/radiation-sampler.ts';

/** Fluxes at the top of the atmosphere lie in this range, rounding and packing included [W m⁻²]. */
const PHYSICAL = [-50, 1500] as const;

/**
 * Refuses radiation that no unit and no packing explains: models would turn it into any forcing. `stamps` are those of
 * the fields as they are stored, the last ones of the same number as there are prepared times.
 */
export async function requirePhysical(
  { source, description, run }: RadiationChoice,
  { field, pair, fluxPerUnit }: RadiationField,
  stamps: readonly number[],
): Promise<void> {
  const { slabs, variables } = field;
  const dropped = stamps.length - slabs.length;
  for (const [l, slab] of slabs.entries()) {
    if (l > 0) await nextTurn();
    for (const [v, variable] of variables.entries()) {
      // Net thermal radiation is what goes out, with the sign turned.
      const factor = pair === 'net' && v === 1 ? -fluxPerUnit : fluxPerUnit;
      const value = outlierOf(slab, v, variables.length, factor);
      if (value === undefined) continue;
      const stamp = stamps[l + dropped] as number;
      const paths = (await source.pathsOf?.(variable, stamp, run.referenceTime)) ?? [];
      const where = paths.length === 0 ? description.name : paths.join(', ');
      const flux = Number((value * fluxPerUnit).toPrecision(4));
      throw new MetError(
        'unreadable',
        `${variable} of ${where} is ${flux} W m-2 at ${isoTime(stamp)}, read as ${shownConvention(description.radiation)}; ` +
          `physical are ${PHYSICAL[0]} to ${PHYSICAL[1]} W m-2${v === 1 && pair === 'net' ? ' with the sign turned' : ''}. ` +
          'Correct the units attribute of the variable, or radiation_accumulated and radiation_hours of the source',
        { source: description.name, variable, paths, time: isoTime(stamp), value: flux },
      );
    }
  }
}

function outlierOf(
  slab: ArrayLike<number>,
  first: number,
  stride: number,
  factor: number,
): number | undefined {
  for (let at = first; at < slab.length; at += stride) {
    const flux = (slab[at] as number) * factor;
    if (flux < PHYSICAL[0] || flux > PHYSICAL[1]) return slab[at];
  }
  return undefined;
}

function shownConvention(radiation: RadiationChoice['description']['radiation']): string {
  switch (radiation.kind) {
    case 'instantaneous':
      return radiation.unit;
    case 'past-hours':
      return `${radiation.unit} over ${radiation.hours} h`;
    case 'since-run-start':
      return `${radiation.unit} since the start of the forecast`;
    case 'window-means':
      return `means in ${radiation.unit}`;
  }
}
