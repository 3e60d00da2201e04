/** Long work on the event loop, in parts between which other requests have their turn. */

const waiting: (() => void)[] = [];

/**
 * Lets other requests have their turn. One caller goes on in each round of the event loop, in the order in which they asked: a
 * round takes as long as one part of one work, however many there are.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(serveNext);
  });
}

function serveNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(serveNext);
}

/** Yields after each part, with the number of values that it read. */
export type Work<T> = Generator<number, T, undefined>;

/** Values read in one go: a few milliseconds. Work on fewer values never waits. */
export const VALUES_PER_TURN = 8192;

/** Does all parts at once. */
export function finish<T>(work: Work<T>): T {
  return partsUntil(work, Number.POSITIVE_INFINITY).value as T;
}

/** Of work that begins while other work waits for its turn: several may begin in one round. */
const VALUES_BEFORE_OTHERS = VALUES_PER_TURN / 8;

/** Does the parts in turns; small work is done on return. */
export function inTurns<T>(work: Work<T>): T | Promise<T> {
  const first = partsUntil(work, waiting.length === 0 ? VALUES_PER_TURN : VALUES_BEFORE_OTHERS);
  return first.done === true ? first.value : remaining(work);
}

async function remaining<T>(work: Work<T>): Promise<T> {
  for (;;) {
    await nextTurn();
    const turn = partsUntil(work, VALUES_PER_TURN);
    if (turn.done === true) return turn.value;
  }
}

function partsUntil<T>(work: Work<T>, maxValues: number): IteratorResult<number, T> {
  let values = 0;
  let part = work.next();
  while (part.done !== true) {
    values += part.value;
    if (values >= maxValues) break;
    part = work.next();
  }
  return part;
}

/** Calls `read` for parts of a list, from `start` to before `end`. */
export function* slices(length: number, read: (start: number, end: number) => void): Work<void> {
  for (let start = 0; start < length; start += VALUES_PER_TURN) {
    const end = Math.min(length, start + VALUES_PER_TURN);
    read(start, end);
    yield end - start;
  }
}
