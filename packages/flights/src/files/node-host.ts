/** Flight files on this machine. */
import { createReadStream } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkParquet } from '@contrails/formats';
import { ContrailsError, makeTemporaryFolder } from '@contrails/runtime';
import { nextTurn } from '@contrails/runtime/turns';
import { worldAirports } from '../airports/airport-table.ts';
import { unpack } from '../ingest/bytes.ts';
import { DamagedError } from '../ingest/errors.ts';
import {
  type Bytes,
  DamagedBytes,
  type FileHost,
  type FlightFile,
  gather,
  type RandomAccess,
  tooLarge,
} from './bytes.ts';
import { type FlightReading, formatOf, type ReadFilesOptions, readFlightFiles } from './read.ts';
import { FlightFileError } from './refusals.ts';

const READ_BYTES = 2 ** 18;
const MAX_PARQUET_BYTES = 2 ** 30;

/** A file by its path. */
export function fileAt(path: string, name = path): FlightFile {
  return { name, path, open: () => createReadStream(path, { highWaterMark: READ_BYTES }) };
}

/** Bytes that are in memory, such as the body of a request. */
export function fileOf(name: string, bytes: Uint8Array): FlightFile {
  return { name, open: () => once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += READ_BYTES) {
    if (at > 0) await nextTurn();
    yield bytes.subarray(at, at + READ_BYTES);
  }
}

/** Reads files with what this machine has: its decompressors and the airports that ship with the package. */
export function readFilesHere(
  files: readonly FlightFile[],
  options: Omit<ReadFilesOptions, 'host' | 'findAirport'> = {},
): FlightReading {
  const { maxBytes = Number.POSITIVE_INFINITY, ...rest } = options;
  return readFlightFiles(files, {
    ...rest,
    maxBytes,
    host: nodeHost(maxBytes),
    findAirport: (icao) => worldAirports().find(icao),
  });
}

/** The format of a file; undefined where it has none that is known. Throws a `FlightFileError` for what is never read. */
export function formatHere(file: FlightFile): Promise<string | undefined> {
  return formatOf(file, nodeHost(Number.POSITIVE_INFINITY));
}

/** Bytes that are decompressed to more than `maxBytes` are refused. */
function nodeHost(maxBytes: number): FileHost {
  return {
    decompress: (kind, bytes) => decompress(kind, bytes, maxBytes),
    openParquet,
  };
}

async function* decompress(
  kind: 'gzip' | 'deflate-raw' | 'zstd',
  bytes: Bytes,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of unpack(bytes, kind, Number.POSITIVE_INFINITY)) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge('unpacked content', maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof DamagedError ? new DamagedBytes(error.message, { cause: error }) : error;
  }
}

async function openParquet(file: FlightFile): Promise<RandomAccess> {
  const folder = file.path === undefined ? await makeTemporaryFolder('flights') : undefined;
  try {
    const path = file.path ?? join(folder?.path ?? '', 'table.parquet');
    if (folder !== undefined)
      await writeFile(path, await gather(file.open(), MAX_PARQUET_BYTES, 'Parquet file'));
    await checkParquet(path);
    const handle = await open(path);
    const { size } = await handle.stat();
    return {
      byteLength: size,
      async slice(start, end = size) {
        const bytes = new Uint8Array(end - start);
        await handle.read(bytes, 0, bytes.length, start);
        return bytes.buffer;
      },
      async close() {
        await handle.close();
        await folder?.remove();
      },
    };
  } catch (error) {
    await folder?.remove();
    if (!(error instanceof ContrailsError)) throw error;
    throw new FlightFileError('parse_error', `the Parquet file is damaged: ${error.message}`);
  }
}
