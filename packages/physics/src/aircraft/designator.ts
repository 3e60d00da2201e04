/** Names in common use for types that have their own designator. */
const COMMON_NAMES: Readonly<Record<string, string>> = { A350: 'A359' };

/** ICAO type designator as the tables write it: capital letters, no blanks, `A350` for what ICAO calls A359. */
export function designator(aircraftType: string): string {
  const name = aircraftType.trim().toUpperCase();
  return COMMON_NAMES[name] ?? name;
}
