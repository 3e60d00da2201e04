/** Which format an input has: from its first bytes, else from its name. */
import { FormatError } from './errors.ts';
import { objectOf } from './formats/reading.ts';
import { SOURCE_FORMATS, type SourceFormat } from './source-formats.ts';

/** How the records are written down. */
export type Encoding = 'document' | 'csv' | 'ndjson' | 'parquet';

export interface Detected {
  readonly format: SourceFormat;
  readonly encoding: Encoding;
  /** Lines with the names of the table, which is also how targets are written that are not wrapped. */
  readonly isBare?: boolean;
}

const ENCODINGS: Readonly<Record<Exclude<SourceFormat, 'table'>, Encoding>> = {
  readsb_aircraft_json: 'document',
  readsb_trace_json: 'document',
  opensky_state_csv: 'csv',
  opensky_states_json: 'document',
  target_ndjson: 'ndjson',
};

/** The format to read an input with. `declared` is used unless the bytes show another one. */
export function formatOf(head: Buffer, name: string, declared: SourceFormat | undefined): Detected {
  const found = detectContent(head);
  if (declared === undefined) {
    const detected = found ?? detectName(name);
    if (detected !== undefined) return detected;
    const what = head.length === 0 ? 'is empty' : 'has no format that is known';
    throw new FormatError(`${name} ${what}; give one of ${SOURCE_FORMATS.join(', ')} as the format`, {
      name,
    });
  }
  const isTableLine = declared === 'table' || declared === 'target_ndjson';
  if (found?.isBare && isTableLine) return { format: declared, encoding: found.encoding };
  if (found !== undefined && found.format !== declared) {
    throw new FormatError(`${name} is not ${declared}; it looks like ${found.format}`, {
      name,
      declared,
      likely: found.format,
    });
  }
  if (found !== undefined) return found;
  if (isTableLine) requireRecord(head, name, declared);
  if (declared !== 'table') return { format: declared, encoding: ENCODINGS[declared] };
  return { format: 'table', encoding: /^\s*\{/.test(textOf(head)) ? 'ndjson' : 'csv' };
}

/** A one-line input whose object is not a record: it would be accepted as a batch of one refused record. */
function requireRecord(head: Buffer, name: string, declared: SourceFormat): void {
  const text = textOf(head).trim();
  const record = /[\r\n]/.test(text) ? undefined : parsedObject(text);
  const missing = record && ['icao_address', 'timestamp'].filter((key) => !(key in record));
  if (missing === undefined || missing.length === 0) return;
  throw new FormatError(`${name} is not ${declared}; its only record has no ${missing.join(' and no ')}`, {
    name,
    declared,
  });
}

/** Undefined when unrecognised. */
export function detectContent(head: Buffer): Detected | undefined {
  if (head.subarray(0, 4).toString('latin1') === 'PAR1') return { format: 'table', encoding: 'parquet' };
  const text = textOf(head).trimStart();
  const [line = ''] = text.split(/[\r\n]/, 1);
  return text.startsWith('{') ? (detectDocument(text) ?? detectLine(line)) : detectCsv(line);
}

function textOf(head: Buffer): string {
  return head.toString('utf8').replace(/^\uFEFF/, '');
}

const DOCUMENT_KEYS: readonly (readonly [pattern: RegExp, format: Exclude<SourceFormat, 'table'>])[] = [
  [/"trace"\s*:\s*\[/, 'readsb_trace_json'],
  [/"(aircraft|ac)"\s*:\s*\[/, 'readsb_aircraft_json'],
  [/"states"\s*:\s*(\[|null)/, 'opensky_states_json'],
];

/** The list of a document begins within these characters. */
const DOCUMENT_HEAD = 4096;

function detectDocument(text: string): Detected | undefined {
  const start = text.slice(0, DOCUMENT_HEAD);
  const format = DOCUMENT_KEYS.find(([pattern]) => pattern.test(start))?.[1];
  return format === undefined ? undefined : { format, encoding: 'document' };
}

/** What only the target stream adds to the columns of the table. */
const TARGET_KEYS = ['ingestion_time', 'speed', 'heading'];

function detectLine(line: string): Detected | undefined {
  const message = parsedObject(line);
  if (message === undefined) return undefined;
  const isWrapped = objectOf(message.target) !== undefined || 'position_token' in message;
  if (isWrapped || ('status' in message && !('icao_address' in message))) {
    return { format: 'target_ndjson', encoding: 'ndjson' };
  }
  if (!('icao_address' in message && 'timestamp' in message)) return undefined;
  const format = TARGET_KEYS.some((key) => key in message) ? 'target_ndjson' : 'table';
  return { format, encoding: 'ndjson', isBare: true };
}

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function detectCsv(line: string): Detected | undefined {
  const names = line.split(',').map((name) => name.trim().replaceAll('"', ''));
  if (names.includes('icao24') && names.includes('lat')) {
    return { format: 'opensky_state_csv', encoding: 'csv' };
  }
  return names.includes('icao_address') && names.includes('timestamp')
    ? { format: 'table', encoding: 'csv' }
    : undefined;
}

const NAMES: readonly (readonly [pattern: RegExp, format: Exclude<SourceFormat, 'table'>])[] = [
  [/trace_(full|recent)_[^/]*\.json/i, 'readsb_trace_json'],
  [/(^|\/)(aircraft|history_\d+)\.json/i, 'readsb_aircraft_json'],
  [/(^|\/)states_[^/]*\.csv/i, 'opensky_state_csv'],
  [/(^|\/)states[^/]*\.json/i, 'opensky_states_json'],
];

export function hasTelemetryName(name: string): boolean {
  return detectName(name) !== undefined;
}

function detectName(name: string): Detected | undefined {
  const format = NAMES.find(([pattern]) => pattern.test(name))?.[1];
  return format === undefined ? undefined : { format, encoding: ENCODINGS[format] };
}
