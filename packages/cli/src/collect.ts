/** A parser for an option that may be repeated. */
export function collect(value: string, known: readonly string[] = []): string[] {
  return [...known, value];
}
