import { existsSync, readFileSync } from 'node:fs';

/** The reference cases, which are kept beside the repository. */
export const REFERENCE = new URL('../../../../../shared/reference/observations/', import.meta.url);
export const isPresent = existsSync(REFERENCE);
/** To end the names of tests with that are skipped without the cases. */
export const because = isPresent ? '' : ' (skipped: ../shared/reference/observations is not here)';

/** Rows of a table of numbers, by the names of its columns. */
export function readCsv<Name extends string>(path: string): Record<Name, number>[] {
  const [head = '', ...lines] = readFileSync(new URL(path, REFERENCE), 'utf8').trim().split(/\r?\n/);
  const names = head.split(',') as Name[];
  return lines.map((line) => {
    const cells = line.split(',').map(Number);
    return Object.fromEntries(names.map((name, i) => [name, cells[i]])) as Record<Name, number>;
  });
}
