import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { ContrailsError, UsageError } from '@contrails/service/errors';
import { isCsvHead, readCsv } from './read-csv.ts';

/** One JSON document of an input. */
export interface InputBody {
  readonly body: unknown;
  /** Where it stands: `flights.ndjson, line 3`, or the file alone when it is its only document. */
  readonly place: string;
  readonly bytes: number;
}

export interface Input {
  readonly bodies: AsyncIterable<InputBody>;
  /** Unknown for standard input. */
  readonly bytes: number | undefined;
}

/** A file, or `-` for standard input: one JSON document, one on each line (NDJSON), or a table (CSV). */
export async function openInput(file: string): Promise<Input> {
  if (file === '-') {
    const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    return { bodies: readBodies(lines, 'standard input'), bytes: undefined };
  }
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code}); check the path`, { cause: error });
  });
  const { size } = await handle.stat();
  return { bodies: readBodies(handle.readLines(), file), bytes: size };
}

/**
 * A first line that names columns makes a table; one that is JSON by itself, or a file called so, makes each line a
 * document; otherwise all of them together are one.
 */
async function* readBodies(lines: AsyncIterable<string>, name: string): AsyncGenerator<InputBody> {
  const document: string[] = [];
  const isNdjson = /\.(ndjson|jsonl)$/i.test(name);
  const rows = numbered(lines);
  let found = 0;
  for await (const [number, line] of rows) {
    if (line.trim() === '' && document.length === 0) continue;
    if (found === 0 && document.length === 0 && (/\.csv$/i.test(name) || isCsvHead(line))) {
      yield* readCsv(line, rows, name);
      return;
    }
    const body = document.length === 0 ? parsed(line) : undefined;
    if (body !== undefined) {
      found++;
      yield { ...body, place: `${name}, line ${number}`, bytes: Buffer.byteLength(line) + 1 };
    } else if (found > 0 || isNdjson) {
      throw new ContrailsError(
        `${name}, line ${number} is not valid JSON; every line of NDJSON is one document`,
      );
    } else {
      document.push(line);
    }
  }
  if (document.length > 0) {
    const text = document.join('\n');
    yield { body: parseWhole(text, name), place: name, bytes: Buffer.byteLength(text) };
  } else if (found === 0) {
    throw new UsageError(`${name} is empty; give a flight as JSON, or one on each line`);
  }
}

/** With line numbers from 1 on, and without a byte order mark. One iterator, so that another loop can go on with it. */
async function* numbered(
  lines: AsyncIterable<string>,
): AsyncGenerator<readonly [line: number, text: string]> {
  let number = 0;
  for await (const text of lines) {
    number++;
    yield [number, number === 1 ? text.replace(/^\uFEFF/, '') : text];
  }
}

function parsed(text: string): { body: unknown } | undefined {
  try {
    return { body: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function parseWhole(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const what = error instanceof SyntaxError ? error.message.replace(/\s+/g, ' ') : 'syntax error';
    throw new ContrailsError(`${name} is not valid JSON: ${what.slice(0, 200)}`, { cause: error });
  }
}
