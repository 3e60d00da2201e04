import { createHash } from 'node:crypto';
import { FormatError } from '@contrails/flights';
import { UnavailableError } from '@contrails/runtime/errors';
import { checkFormat, type FeedTurn } from '../../../telemetry-store/sources.ts';
import { applyBatch, type BatchReader } from '../ingest/batch.ts';
import { bytesReader } from '../ingest/import.ts';

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 64 * 2 ** 20;

/** Fetches the address of a feed once and applies what it returns. A document that has not changed is the same batch. */
export const pollOnce: FeedTurn = async (services, rules, feed, signal) => {
  const bytes = await fetchBytes(feed.url, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
  const format = checkFormat(feed.format, `telemetry.sources.${feed.name}.format`);
  const receivedMs = Date.now();
  const { memoryMiB, closeAfterMs } = rules;
  const header = {
    source: feed.name,
    format: format ?? '',
    name: feed.url,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    isLive: true,
    receivedMs,
  };
  try {
    const read = bytesReader(bytes, { format, name: feed.url, nowMs: receivedMs });
    const { truncated } = await applyBatch(services, header, readableOnly(read, feed.url), {
      memoryMiB,
      closeAfterMs,
      latenessMs: feed.latenessMs,
      isStrict: feed.isStrict,
    });
    if (truncated !== null)
      throw new UnavailableError(`${feed.url} breaks off: ${truncated}; what came before is stored`);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw unreadable(feed.url, error.message, error);
  }
};

/** An answer of which nothing can be read, such as a page for people, is a failure of the source and no batch. */
function readableOnly(read: BatchReader, url: string): BatchReader {
  return async (sink) => {
    let faulty = 0;
    let problem: string | undefined;
    const records = await read({
      ...sink,
      async refused(refused) {
        const faults = refused.filter(({ code }) => code === 'parse_error');
        faulty += faults.length;
        problem ??= faults[0]?.detail;
        await sink.refused(refused);
      },
    });
    if (records === 0 || faulty < records) return records;
    throw unreadable(url, problem);
  };
}

function unreadable(url: string, problem: string | undefined, cause?: Error): UnavailableError {
  const message = `${url} returns nothing that can be read: ${problem}; check the address`;
  return new UnavailableError(message, { cause });
}

async function fetchBytes(url: string, signal: AbortSignal): Promise<Buffer> {
  try {
    return await receiveBytes(url, signal);
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    throw new UnavailableError(`${url} does not answer; check that the receiver runs and the address`, {
      cause: error,
    });
  }
}

async function receiveBytes(url: string, signal: AbortSignal): Promise<Buffer> {
  const response = await fetch(url, { signal, headers: { accept: 'application/json' } });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new UnavailableError(`${url} answers with status ${response.status}; check the address`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > MAX_BYTES) {
      throw new UnavailableError(`${url} sends more than ${MAX_BYTES / 2 ** 20} MiB; poll a smaller area`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
