/** Flights from the files that people have, by the readers that the program and the service use. */
import { DamagedBytes, type FileHost, type FlightFile, readFlightFiles } from '@contrails/flights/files';
import type { FlightInput } from '../track.ts';
import type { Airport } from './airports.ts';

export interface ReadFlights {
  readonly flights: readonly FlightInput[];
  /** What the reader should know: warnings, and how many points were left out for which reason. */
  readonly notes: readonly string[];
}

/** At least one flight; throws an error whose message is one sentence. */
export async function readFlights(
  files: readonly File[],
  airports: readonly Airport[],
): Promise<ReadFlights> {
  const { flights, report } = readFlightFiles(files.map(fileOf), {
    host: browserHost,
    findAirport: (icao) => airports.find((airport) => airport.icao === icao),
  });
  const read: FlightInput[] = [];
  for await (const { flight_id: name, aircraft_type: type, timeMs, ...flight } of flights) {
    const points = Array.from(timeMs, (time, k) => ({
      timeMs: time,
      longitude: flight.longitude[k] as number,
      latitude: flight.latitude[k] as number,
      altitudeFt: flight.altitudeFt[k] as number,
    }));
    read.push({ name, aircraftType: type ?? undefined, points });
  }
  if (report.error !== null) throw new Error(report.error.message);
  const refused = Object.entries(report.refused).map(([code, count]) => {
    const place = report.refusals.find((one) => one.code === code)?.message;
    return `${count} left out: ${code.replaceAll('_', ' ')} (${place}${(count ?? 0) > 1 ? ', …' : ''})`;
  });
  return { flights: read, notes: [...report.warnings.map(({ message }) => message), ...refused] };
}

function fileOf(file: File): FlightFile {
  return { name: file.name, open: () => chunksOf(file.stream()) };
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

const browserHost: FileHost = {
  async *decompress(kind, bytes) {
    try {
      if (kind === 'zstd') {
        const { decompress } = await import('fzstd');
        yield decompress(await gathered(bytes));
        return;
      }
      const packed = new Blob([await gathered(bytes)]).stream();
      const unpacked = packed.pipeThrough(new DecompressionStream(kind));
      yield* chunksOf(unpacked as ReadableStream<Uint8Array>);
    } catch (error) {
      throw new DamagedBytes(`the compressed data is damaged (${(error as Error).message})`, {
        cause: error,
      });
    }
  },
  async openParquet(file) {
    const { buffer } = await gathered(file.open());
    return {
      byteLength: buffer.byteLength,
      slice: async (start, end) => buffer.slice(start, end),
      close: async () => {},
    };
  },
};

async function gathered(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of bytes) chunks.push(new Uint8Array(chunk));
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
