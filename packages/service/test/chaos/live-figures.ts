/** What a soak of the live sky has measured, and what of it is wrong. */

export interface MemorySample {
  /** Since the start. */
  readonly hour: number;
  readonly residentMib: number;
}

export interface LiveFigures {
  readonly aircraft: number;
  readonly clients: number;
  readonly samples: readonly MemorySample[];
  /** From a report to its event at a client. */
  readonly delaysMs: readonly number[];
  /** Cores that the server used, with clients and without. */
  readonly used: number;
  readonly usedAlone: number;
}

const MAX_DELAY_MS = 2000;
/** Of a core, for all clients. */
const MAX_USED = 0.3;
/** Reports are kept for hours: so much memory may grow with them. */
const BYTES_PER_REPORT = 24;
const KEPT_PER_HOUR = 360;
const MAX_GROWTH = 0.1;
const MEBIBYTE = 2 ** 20;

export function judge({ aircraft, clients, samples, delaysMs, used, usedAlone }: LiveFigures): {
  readonly lines: readonly string[];
  readonly problems: readonly string[];
} {
  const settled = samples.slice(Math.floor(samples.length / 3));
  const [first, last] = [settled[0], settled.at(-1)];
  if (first === undefined || last === undefined)
    return { lines: [], problems: ['the soak was too short to measure anything'] };
  const growth = last.residentMib - first.residentMib;
  const kept = (aircraft * KEPT_PER_HOUR * BYTES_PER_REPORT * (last.hour - first.hour)) / MEBIBYTE;
  const delayMs = delaysMs.reduce((sum, one) => sum + one, 0) / delaysMs.length;
  const sorted = delaysMs.toSorted((a, b) => a - b);
  const ofClients = used - usedAlone;
  return {
    lines: [
      `${clients} clients: ${percent(ofClients)} of a core beside the ${percent(usedAlone)} of all other work`,
      `report to event: ${Math.round(delayMs)} ms in the mean, 19 of 20 within ${sorted[Math.floor(0.95 * sorted.length)]} ms, ${sorted.at(-1)} ms at most`,
      `resident memory over the last two thirds: ${first.residentMib} to ${last.residentMib} MiB, of which reports take ${Math.round(kept)} MiB`,
    ],
    problems: [
      ...(delaysMs.length === 0 ? ['no report reached a client'] : []),
      ...(delayMs > MAX_DELAY_MS ? [`reports took ${Math.round(delayMs)} ms to a client`] : []),
      ...(ofClients > MAX_USED ? [`clients took ${percent(ofClients)} of a core`] : []),
      ...(growth > kept + MAX_GROWTH * first.residentMib ? [`memory grew by ${growth} MiB`] : []),
    ],
  };
}

export function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
