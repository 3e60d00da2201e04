/** What clients send, taken in turns and put together. */
import type { IncomingMessage } from 'node:http';
import { countShortLived } from '@contrails/runtime/threads';
import { nextTurn } from '@contrails/runtime/turns';

/** Taken from a client before other requests have their turn. */
const TAKEN_BYTES = 2 ** 20;

/**
 * Calls `take` with each chunk until the function that it returns is called. Large bodies that come at the same time are taken
 * in turns: a round of the event loop would take many mebibytes from each otherwise.
 */
function takeInTurns(payload: IncomingMessage, take: (chunk: Buffer) => void): () => void {
  let bytes = 0;
  let isOver = false;
  const onData = (chunk: Buffer) => {
    countShortLived(chunk.length);
    take(chunk);
    bytes += chunk.length;
    if (isOver || bytes < TAKEN_BYTES) return;
    bytes = 0;
    payload.pause();
    void nextTurn().then(() => payload.resume());
  };
  payload.on('data', onData);
  return () => {
    isOver = true;
    payload.off('data', onData);
  };
}

/**
 * Takes what still comes of a body whose request is answered, so that its client reads the answer. Without this it would be
 * taken as fast as it comes.
 */
export function discardRest(payload: IncomingMessage): void {
  const { headers, complete } = payload;
  const isLarge =
    Number(headers['content-length'] ?? 0) > TAKEN_BYTES || headers['transfer-encoding'] !== undefined;
  if (isLarge && !complete) takeInTurns(payload, () => {});
}

/** The whole body; stops where `check`, which is told how many bytes have come, throws. */
export function collectBytes(
  payload: IncomingMessage,
  declaredBytes: number,
  check: (bytes: number) => void,
): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const bytes = new GrowingBytes(declaredBytes);
    const settle = (error?: Error | null) => {
      stop();
      payload.off('end', settle).off('error', settle);
      if (error) reject(error);
      else resolve(bytes.whole());
    };
    const stop = takeInTurns(payload, (chunk) => {
      try {
        check(bytes.length + chunk.length);
        bytes.add(chunk);
      } catch (error) {
        settle(error as Error);
      }
    });
    payload.on('end', settle).on('error', settle);
  });
}

const FIRST_BYTES = 65_536;

/** Bytes that come in parts. They are copied at once: parts that are kept make V8 collect garbage again and again. */
export class GrowingBytes {
  length = 0;
  #bytes: Buffer<ArrayBuffer>;

  constructor(expectedBytes = 0) {
    this.#bytes = Buffer.from(new ArrayBuffer(expectedBytes > 0 ? expectedBytes : FIRST_BYTES));
  }

  add(part: Buffer): void {
    const end = this.length + part.length;
    if (end > this.#bytes.length) {
      this.#bytes = Buffer.from(this.#bytes.buffer.transfer(Math.max(end, 2 * this.#bytes.length)));
    }
    part.copy(this.#bytes, this.length);
    this.length = end;
  }

  whole(): Buffer<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }
}
