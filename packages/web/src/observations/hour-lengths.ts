import type { Verification } from '@contrails/client';

interface HourLengths {
  readonly hour: number;
  readonly observedKm: number;
  readonly modelledKm: number;
}

/** Lengths of all regions, hour by hour. */
export function hourLengths({ regions }: Pick<Verification, 'regions'>): readonly HourLengths[] {
  const hours = Map.groupBy(regions, ({ hour }) => Number(hour.slice(11, 13)));
  const km = (some: Verification['regions'], value: (region: Verification['regions'][number]) => number) =>
    some.reduce((sum, region) => sum + value(region), 0) / 1000;
  return [...hours]
    .map(([hour, some]) => ({
      hour,
      observedKm: km(some, (region) => region.observed_length_m),
      modelledKm: km(some, (region) => region.modelled_length_m),
    }))
    .sort((a, b) => a.hour - b.hour);
}
