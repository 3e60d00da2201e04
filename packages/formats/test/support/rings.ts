import { type MultiPolygon, type Ring, signedArea, withoutRepeats } from '../../src/polygons/ring.ts';

/** A closed ring from positions that do not repeat the first. */
export function ringOf(...positions: readonly (readonly [number, number])[]): Ring {
  return Float64Array.from([...positions, positions[0] as readonly [number, number]].flat());
}

/** Largest distance of coordinates of two rings that may start at different positions; infinite if they differ otherwise. */
export function ringDistance(a: Ring, b: Ring): number {
  const [first, second] = [withoutRepeats(a.slice()), withoutRepeats(b.slice())];
  if (first.length !== second.length) return Infinity;
  const count = first.length / 2 - 1;
  let best = Infinity;
  for (let shift = 0; shift < count; shift++) {
    let worst = 0;
    for (let k = 0; k < 2 * count && worst < best; k++)
      worst = Math.max(
        worst,
        Math.abs((first[k] as number) - (second[(k + 2 * shift) % (2 * count)] as number)),
      );
    best = Math.min(best, worst);
  }
  return best;
}

/** What is wrong with the form of polygons: rings not closed, of too few positions, or of the wrong direction. */
export function formErrors(polygons: MultiPolygon): string[] {
  return polygons.flatMap((polygon, p) =>
    polygon.flatMap((ring, r) => {
      const faults: string[] = [];
      if (ring.length < 8) faults.push(`ring ${p}/${r} has ${ring.length / 2} positions`);
      if (ring[0] !== ring.at(-2) || ring[1] !== ring.at(-1)) faults.push(`ring ${p}/${r} is not closed`);
      if (signedArea(ring) > 0 !== (r === 0)) faults.push(`ring ${p}/${r} runs the wrong way`);
      return faults;
    }),
  );
}
