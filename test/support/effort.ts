const EFFORT = Number(process.env.TEST_EFFORT ?? 1);

/** How often a test tries what it chooses at random: as given, or `$TEST_EFFORT` times as often. */
export function times(usual: number): number {
  return Math.ceil(usual * EFFORT);
}
