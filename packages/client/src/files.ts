/** Files that the service sends: netCDF, Parquet, KML. */
import { ContrailsError } from './error.ts';
import type { Exchange, Transport } from './transport.ts';

/** A file on its way. Read it once, as a stream or as a whole. */
export interface RemoteFile {
  /** The bytes as they arrive. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Collects the whole file in memory. */
  arrayBuffer(): Promise<ArrayBuffer>;
  /** As the service suggests to save it. */
  readonly name: string | undefined;
  readonly contentType: string;
  /** Bytes of the file. */
  readonly size: number | undefined;
  /** Changes when, and only when, the bytes change. */
  readonly etag: string | undefined;
  /** What a reader of the numbers should know. */
  readonly warnings: readonly string[];
}

/** A file that stays with the service; pass it to hyparquet as its `file`. */
export interface RemoteRanges {
  readonly byteLength: number;
  readonly etag: string | undefined;
  /** Fetches bytes `start` to `end`, like `ArrayBuffer.slice`. Throws `changed` if the file was replaced meanwhile. */
  slice(start: number, end?: number): Promise<ArrayBuffer>;
}

export function fileOf(response: Response, request: string): RemoteFile {
  const { headers, body } = response;
  if (body === null) {
    throw new ContrailsError(`${request} returned no file`, { code: 'invalid-response', request });
  }
  const size = headers.get('content-length');
  return {
    stream: body,
    arrayBuffer: () =>
      response.arrayBuffer().catch((cause: unknown) => {
        if (cause instanceof Error && cause.name === 'AbortError') throw cause;
        throw new ContrailsError(`the file of ${request} broke off; request it again`, {
          code: 'network',
          request,
          cause,
        });
      }),
    name: fileName(headers.get('content-disposition') ?? ''),
    contentType: headers.get('content-type') ?? 'application/octet-stream',
    // The length of compressed bytes is not that of the file.
    size: size === null || headers.has('content-encoding') ? undefined : Number(size),
    etag: headers.get('etag') ?? undefined,
    warnings: warningsOf(headers),
  };
}

/** Learns size and version of a file; its ranges are fetched when they are asked for. */
export async function openRanges(transport: Transport, exchange: Exchange): Promise<RemoteRanges> {
  const { path } = exchange;
  // Not HEAD: its errors have no body that explains them.
  const first = { ...exchange, headers: { range: 'bytes=0-0' } };
  const { byteLength, etag } = await transport.send(first, async ({ headers, body }) => {
    await body?.cancel();
    const size = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1];
    if (size === undefined) {
      throw new ContrailsError(`${path} is not served in ranges; fetch it as a whole`, {
        code: 'invalid-response',
        request: `GET ${path}`,
      });
    }
    return { byteLength: Number(size), etag: headers.get('etag') ?? undefined };
  });
  return {
    byteLength,
    etag,
    async slice(start, end = byteLength) {
      const first = position(start, byteLength);
      const last = position(end, byteLength) - 1;
      if (last < first) return new ArrayBuffer(0);
      const headers = {
        range: `bytes=${first}-${last}`,
        ...(etag === undefined ? {} : { 'if-range': etag }),
      };
      return transport.send({ ...exchange, headers }, async (response) => {
        if (response.status === 206) return response.arrayBuffer();
        await response.body?.cancel();
        throw new ContrailsError(`${path} was replaced by a newer file; open it again`, {
          code: 'changed',
          request: `GET ${path}`,
          status: response.status,
        });
      });
    },
  };
}

function position(index: number, length: number): number {
  return index < 0 ? Math.max(0, length + index) : Math.min(index, length);
}

function fileName(disposition: string): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  return encoded === undefined ? /filename="([^"]*)"/i.exec(disposition)?.[1] : decodeURIComponent(encoded);
}

/** The JSON list of the header `contrails-warnings`. */
export function warningsOf(headers: Headers): string[] {
  const text = headers.get('contrails-warnings');
  if (text === null) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : [];
  } catch {
    return [text];
  }
}
