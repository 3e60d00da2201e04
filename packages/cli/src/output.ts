/** Results go to standard output, everything else to standard error. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** As everywhere outside the program: `level_type`, not `levelType`. */
export function publicNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publicNames);
  if (typeof value !== 'object' || value === null) return value;
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [snake(name), publicNames(inner)]));
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Rows as aligned columns under capital headings; the last column is not padded. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map(oneLine))];
  const widths = headings.map((_, column) =>
    cells.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ');
}

/** A time as listings show it: UTC to the second, or a dash. */
export function shownTime(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '-' : isoSecond(ms);
}

/** A time as in JSON output. */
export function jsonTime(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}

import { isoSecond } from '@contrails/runtime';
