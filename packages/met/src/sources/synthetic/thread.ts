/** The thread that makes synthetic weather in memory shared with the others. */
import type { MetField } from '../../field/field.ts';
import { serveRequests } from '../../threads/thread.ts';
import { type Atmosphere, fillLevels, fillSurface, makeAtmosphere } from './atmosphere.ts';

export interface FillRequest {
  readonly seed: number;
  readonly slice: MetField;
  readonly withLevels: boolean;
  readonly known: Uint8Array;
}

const atmospheres = new Map<number, Atmosphere>();

serveRequests(({ seed, slice, withLevels, known }: FillRequest): void => {
  const atmosphere = atmospheres.get(seed) ?? makeAtmosphere(seed);
  atmospheres.set(seed, atmosphere);
  if (withLevels) fillLevels(atmosphere, slice, known);
  else fillSurface(atmosphere, slice, known);
});
