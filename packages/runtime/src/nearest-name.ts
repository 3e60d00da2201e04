import { nearMatches } from '@contrails/physics/common';

/** Longer names are not misspelt ones. */
const MAX_LENGTH = 64;

/** The name that someone who wrote another one probably means: one that begins with it, resembles it, or contains it. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  if (written === '' || written.length > MAX_LENGTH) return undefined;
  const wanted = written.toLowerCase();
  const [nearest] = [
    ...names.filter((name) => name.startsWith(wanted)),
    ...nearMatches(written, names, 1),
    ...names.filter((name) => name.includes(wanted)),
  ];
  return nearest;
}
