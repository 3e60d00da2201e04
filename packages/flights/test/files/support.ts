import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FileFlight, FlightFile, FormatOptions } from '../../src/files/index.ts';
import { fileAt, fileOf, readFilesHere } from '../../src/files/node-host.ts';
import type { FileReport } from '../../src/files/refusals.ts';

const CASES = new URL('../reference/flight-files/', import.meta.url);

export interface FileCase {
  readonly id: string;
  readonly files: readonly string[];
  readonly options: FormatOptions;
  readonly message_mentions?: string;
  readonly pseudo_waypoints?: Readonly<Record<string, unknown>>;
  readonly expect: {
    readonly formats: readonly string[];
    readonly flights: readonly Readonly<Record<string, unknown>>[];
    readonly refused: Readonly<Record<string, number>>;
    readonly warnings: readonly string[];
    readonly error: { readonly code: string } | null;
  };
}

export const CASE_NAMES = readdirSync(CASES).sort();

export function readCase(id: string): FileCase {
  return JSON.parse(readFileSync(new URL(`${id}/case.json`, CASES), 'utf8')) as FileCase;
}

export function caseFiles({ id, files }: FileCase): FlightFile[] {
  return files.map((name) => fileAt(fileURLToPath(new URL(`${id}/${name}`, CASES)), name));
}

export function caseBytes({ id, files }: FileCase): Buffer[] {
  return files.map((name) => readFileSync(new URL(`${id}/${name}`, CASES)));
}

export interface Read {
  readonly flights: FileFlight[];
  readonly report: FileReport;
}

export async function readAll(files: readonly FlightFile[], options: FormatOptions = {}): Promise<Read> {
  const { flights, report } = readFilesHere(files, options);
  return { flights: await Array.fromAsync(flights), report };
}

export function readText(
  name: string,
  text: string | Uint8Array,
  options: FormatOptions = {},
): Promise<Read> {
  return readAll([fileOf(name, Buffer.from(text))], options);
}

export function pointCount({ flights, report }: Read): number {
  const refused = Object.entries(report.refused).reduce(
    (sum, [code, count]) => (FLIGHT_LEVEL.includes(code) ? sum : sum + count),
    0,
  );
  return flights.reduce((sum, { timeMs }) => sum + timeMs.length, 0) + refused + report.lostPoints;
}

const FLIGHT_LEVEL = ['too_few_points', 'no_points', 'unknown_flight', 'coordinates_not_arc_seconds'];
