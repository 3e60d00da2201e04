/** The flights of whole tables, built on several threads and handed out in the order of the airframes. */
import { setImmediate } from 'node:timers/promises';
import { kernelAt, openCompute } from '@contrails/runtime/compute';
import { type BuildSettings, type BuiltAirframe, buildFlights } from '../build/build-flights.ts';
import { type PackedAirframe, REPORT_NAMES, reportsOf } from './airframe.ts';
import type { TelemetryTables } from './read-tables.ts';

export interface BuildAirframesSettings extends Pick<BuildSettings, 'isStrict'> {
  /** The thread of the caller is one of them. */
  readonly threads: number;
}

export interface AirframeFlights extends BuiltAirframe {
  /** Reports in the air and on the ground. */
  readonly reportCount: number;
}

/** Reports that another thread is given at once: enough to make the copy cheap, and little memory. */
const TASK_REPORTS = 20_000;
/** One that it works on and one that waits. */
const TASKS_PER_THREAD = 2;
/** Airframes and tasks that are built before an earlier task is: bounds memory. */
const MAX_AHEAD = 200;

const NOTHING = { airframes: [], settings: {} };

const BUILD = kernelAt<typeof import('./build.kernel.ts').default>(
  new URL('./build.kernel.ts', import.meta.url),
);

/** Airframes in order of address, each with its flights in order of time, for any number of threads. */
export async function* buildAirframes(
  tables: Pick<TelemetryTables, 'airframes' | 'ambiguousIds'>,
  { threads, isStrict = false }: BuildAirframesSettings,
): AsyncGenerator<AirframeFlights> {
  const { ambiguousIds } = tables;
  const buildHere = (airframe: PackedAirframe): AirframeFlights => ({
    ...buildFlights(reportsOf(airframe), { isStrict, ambiguousIds }),
    reportCount: airframe.count,
  });
  if (threads <= 1) {
    for await (const airframe of tables.airframes()) yield buildHere(airframe);
    return;
  }
  const maxTasks = TASKS_PER_THREAD * (threads - 1);
  const compute = openCompute({ threads: threads - 1, maxQueue: maxTasks });
  const queue: Entry[] = [];
  let tasks = 0;
  const buildThere = (airframes: readonly PackedAirframe[]) => {
    const settings = { isStrict, ambiguousIds: idsOf(airframes, ambiguousIds) };
    tasks++;
    const task = compute.run(BUILD, { airframes, settings }).then(
      (built) => {
        tasks--;
        entry.built = built.map((one, index) => ({ ...one, reportCount: airframes[index]?.count ?? 0 }));
      },
      (error: unknown) => {
        entry.error = error;
      },
    );
    const entry: Entry = { task };
    queue.push(entry);
  };
  try {
    // Threads take a while to start; tables take longer to read.
    for (let thread = 1; thread < threads; thread++) void compute.run(BUILD, NOTHING).catch(() => undefined);
    let waiting: PackedAirframe[] = [];
    let reports = 0;
    const send = () => {
      if (waiting.length > 0) buildThere(waiting);
      waiting = [];
      reports = 0;
    };
    for await (const airframe of tables.airframes()) {
      if (tasks < maxTasks) {
        waiting.push(airframe);
        reports += airframe.count;
        if (reports >= TASK_REPORTS) send();
      } else {
        send();
        queue.push({ task: undefined, built: [buildHere(airframe)] });
        // Lets the results of other threads arrive, which otherwise wait for work while this one computes.
        await setImmediate();
      }
      if (queue.length > MAX_AHEAD) await queue[0]?.task;
      yield* takeBuilt(queue);
    }
    // A small table is built before a thread has started.
    if (tasks > 0) send();
    else for (const airframe of waiting) queue.push({ task: undefined, built: [buildHere(airframe)] });
    while (queue.length > 0) {
      await queue[0]?.task;
      yield* takeBuilt(queue);
    }
  } finally {
    await compute.close();
  }
}

/** What was given to a thread, or built by the caller. */
interface Entry {
  readonly task: Promise<void> | undefined;
  built?: readonly AirframeFlights[];
  error?: unknown;
}

/** Takes what is built off the front of the queue. */
function* takeBuilt(queue: Entry[]): Generator<AirframeFlights> {
  for (;;) {
    const [first] = queue;
    if (first?.error !== undefined) throw first.error;
    if (first?.built === undefined) return;
    queue.shift();
    yield* first.built;
  }
}

const FLIGHT_ID = REPORT_NAMES.indexOf('flight_id');

/** The ids among these that the airframes report: threads are given a copy. */
function idsOf(airframes: readonly PackedAirframe[], ids: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  if (ids.size === 0) return found;
  for (const { names } of airframes) {
    for (const values of names.values()) {
      const id = values[FLIGHT_ID];
      if (typeof id === 'string' && ids.has(id)) found.add(id);
    }
  }
  return found;
}
