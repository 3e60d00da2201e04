/** What clients send, taken in turns and put together. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { countShortLived } from '@contrails/runtime/threads';
import { nextTurn } from '@contrails/runtime/turns';

/** Taken from a client before other requests have their turn. */
const TAKEN_BYTES = 2 ** 20;

/**
 * Calls `take` with each chunk until the function that it returns is called. Large bodies that come at the same time are taken
 * in turns, from their beginning: a round of the event loop would take many mebibytes from each otherwise.
 */
function takeInTurns(
  payload: IncomingMessage,
  take: (chunk: Buffer) => void,
  firstTurn: () => Promise<void> = nextTurn,
): () => void {
  let bytes = 0;
  let isOver = false;
  const waitFor = (turn: () => Promise<void>) => {
    payload.pause();
    void turn().then(() => payload.resume());
  };
  const onData = (chunk: Buffer) => {
    countShortLived(chunk.length);
    take(chunk);
    bytes += chunk.length;
    if (isOver || bytes < TAKEN_BYTES) return;
    bytes = 0;
    waitFor(nextTurn);
  };
  if (mayBeLarge(payload)) {
    waitFor(firstTurn);
    // An unread body would be drained at full speed once its request is answered.
    payload.read(0);
  }
  payload.on('data', onData);
  return () => {
    isOver = true;
    payload.off('data', onData);
  };
}

function mayBeLarge({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > TAKEN_BYTES || headers['transfer-encoding'] !== undefined;
}

/** Drains the rest of a body whose request is answered, so its client reads the answer. */
export function discardRest(payload: IncomingMessage): void {
  if (mayBeLarge(payload) && !payload.complete) takeInTurns(payload, () => {});
}

/** V8 marks what is in use in this time, during other work [ms]. */
const MARKING_MS = 150;
/** Of a body; less does not make V8 collect. */
const MEMORY_AT_ONCE_BYTES = 2 ** 23;
let lastTurn: Promise<unknown> = Promise.resolve();

/**
 * V8 collects garbage when tens of mebibytes have been taken. Large bodies that come at the same time take theirs in turn: more
 * at once would make it mark everything in use while nothing else runs.
 */
function turnToTakeMemory(payload: IncomingMessage): Promise<void> {
  const turn = lastTurn.then(nextTurn);
  lastTurn = turn.then(() => payload.destroyed || sleep(MARKING_MS, undefined, { ref: false }));
  return turn;
}

/** The whole body; stops where `check`, called with the bytes so far, throws. */
export async function collectBytes(
  payload: IncomingMessage,
  declaredBytes: number,
  check: (bytes: number) => void,
): Promise<Buffer<ArrayBuffer>> {
  const bytes = new GrowingBytes(declaredBytes);
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error | null) => {
      stop();
      payload.off('end', settle).off('error', settle);
      if (error) reject(error);
      else resolve();
    };
    const stop = takeInTurns(
      payload,
      (chunk) => {
        try {
          check(bytes.length + chunk.length);
          bytes.add(chunk);
        } catch (error) {
          settle(error as Error);
        }
      },
      declaredBytes > MEMORY_AT_ONCE_BYTES ? () => turnToTakeMemory(payload) : nextTurn,
    );
    payload.on('end', settle).on('error', settle);
  });
  return bytes.whole();
}

const FIRST_BYTES = 65_536;

/**
 * Bytes that come in parts. They are copied at once: parts that are kept make V8 collect garbage again and again. Memory is
 * taken when the first part comes.
 */
export class GrowingBytes {
  length = 0;
  #bytes = Buffer.allocUnsafeSlow(0);
  readonly #expectedBytes: number;

  constructor(expectedBytes = 0) {
    this.#expectedBytes = expectedBytes;
  }

  add(part: Buffer): void {
    const end = this.length + part.length;
    const room = this.#bytes.length;
    if (end > room) {
      const wanted = room === 0 ? this.#expectedBytes || FIRST_BYTES : 2 * room;
      const before = this.#bytes;
      // Zeros in all of it would take as long as many parts do.
      this.#bytes = Buffer.allocUnsafeSlow(Math.max(end, wanted));
      before.copy(this.#bytes);
      before.buffer.transfer(0);
    }
    part.copy(this.#bytes, this.length);
    this.length = end;
  }

  whole(): Buffer<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }
}
