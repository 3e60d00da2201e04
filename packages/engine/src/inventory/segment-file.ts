/** The minutes of computed flights as a Parquet file, sorted by hours to read an hour without the others. */
import type { FlightTotals, InventoryFlight, ModelFacts } from '@contrails/flights/inventory';
import { ParquetWriter } from '@contrails/formats';
import type { Co2eSet } from '@contrails/physics/cocip';
import { HOUR_MS, sharedFloat64, sharedUint8, sharedUint32 } from '@contrails/runtime';
import { type Compute, kernelAt } from '../compute.ts';
import type { BatchMinutes } from './model-flights.ts';
import { FLIGHT_SEGMENT_COLUMNS, SEGMENT_TEXT_NAMES } from './table-columns.ts';
import { GROUP_ROWS, type TableWork, tableBlocks } from './tables.kernel.ts';

/** A flight that the models computed. */
export interface ComputedFlight {
  /** Its index in the batch. */
  readonly f: number;
  readonly flight: InventoryFlight;
  readonly facts: ModelFacts;
  /** Equal for flights with the same inputs. */
  readonly hash: string;
}

const kernel = kernelAt<typeof import('./tables.kernel.ts').default>(
  new URL('./tables.kernel.ts', import.meta.url),
);

const TEXT_OF: Readonly<Record<string, (one: ComputedFlight) => string | null>> = {
  flight_id: ({ flight }) => flight.flightId,
  icao_address: ({ flight }) => flight.icaoAddress,
  callsign: ({ flight }) => flight.callsign,
  flight_number: ({ flight }) => flight.flightNumber,
  airline_iata: ({ flight }) => flight.airlineIata,
  aircraft_type_icao: ({ facts }) => facts.aircraftType,
  engine_uid: ({ facts }) => facts.engineUid,
  leg_hash: ({ hash }) => hash,
};

const TEXTS = SEGMENT_TEXT_NAMES.map((name) => {
  const textOf = TEXT_OF[name];
  if (textOf === undefined) throw new TypeError(`the column ${name} of segments has no source`);
  return textOf;
});

export class SegmentFile {
  readonly path: string;
  private readonly writer: ParquetWriter;
  private readonly compute: Compute;

  private constructor(path: string, writer: ParquetWriter, compute: Compute) {
    this.path = path;
    this.writer = writer;
    this.compute = compute;
  }

  static async create(path: string, compute: Compute): Promise<SegmentFile> {
    return new SegmentFile(path, await ParquetWriter.create(path, FLIGHT_SEGMENT_COLUMNS), compute);
  }

  /** Writes the minutes of some flights of a batch and returns the sums of each. Rows of an hour stand flight after flight. */
  async write(
    minutes: BatchMinutes,
    flights: readonly ComputedFlight[],
    co2eSet: Co2eSet | undefined,
    signal: AbortSignal | undefined,
  ): Promise<FlightTotals[]> {
    const work = tableWork(minutes, flights, co2eSet);
    const blocks = await this.compute.parallel(kernel, work, tableBlocks(work), signal && { signal });
    for (const block of blocks) if ('group' in block) await this.writer.append(block.group);
    return blocks.flatMap((block) => ('totals' in block ? block.totals : []));
  }

  close(): Promise<void> {
    return this.writer.finish();
  }
}

function tableWork(
  { offsets, columns, model }: BatchMinutes,
  flights: readonly ComputedFlight[],
  co2eSet: Co2eSet | undefined,
): TableWork {
  const waypoints = columns.timeMs.length;
  const [gapS, imputed] = [sharedFloat64(waypoints), sharedUint8(waypoints)];
  const reportsMs = sharedFloat64(2 * (offsets.length - 1));
  const texts = TEXTS.map(() => new Array<string | null>(offsets.length - 1).fill(null));
  for (const one of flights) {
    const { f, flight } = one;
    gapS.set(flight.columns.gapS, offsets[f]);
    imputed.set(flight.columns.imputed, offsets[f]);
    reportsMs[2 * f] = flight.firstReportMs;
    reportsMs[2 * f + 1] = flight.lastReportMs;
    TEXTS.forEach((textOf, k) => {
      (texts[k] as (string | null)[])[f] = textOf(one);
    });
  }
  const wanted = sharedUint32(flights.length);
  wanted.set(flights.map(({ f }) => f));
  const { timeMs, longitude, latitude, altitudeFt } = columns;
  return {
    columns: { timeMs, longitude, latitude, altitudeFt, gapS, imputed },
    model,
    offsets,
    reportsMs,
    ...rowGroups(timeMs, offsets, wanted),
    texts,
    flights: wanted,
    co2eSet,
  };
}

/** Hour by hour, and flight by flight in an hour. */
function rowGroups(
  timeMs: Float64Array,
  offsets: Uint32Array,
  flights: Uint32Array,
): Pick<TableWork, 'stretches' | 'groupEnds'> {
  const hours = new Map<number, (readonly [flight: number, from: number, to: number])[]>();
  for (const f of flights) {
    const last = (offsets[f + 1] as number) - 1;
    for (let from = offsets[f] as number; from < last; ) {
      const hour = Math.floor((timeMs[from] as number) / HOUR_MS);
      let to = from + 1;
      while (to < last && (timeMs[to] as number) < (hour + 1) * HOUR_MS) to++;
      const stretches = hours.get(hour);
      if (stretches === undefined) hours.set(hour, [[f, from, to]]);
      else stretches.push([f, from, to]);
      from = to;
    }
  }
  const ends: number[] = [];
  const ordered: number[] = [];
  let rows = 0;
  for (const hour of [...hours.keys()].sort((a, b) => a - b)) {
    for (const [flight, from, to] of hours.get(hour) ?? []) {
      ordered.push(flight, from, to);
      rows += to - from;
      if (rows < GROUP_ROWS) continue;
      ends.push(ordered.length / 3);
      rows = 0;
    }
  }
  if (rows > 0) ends.push(ordered.length / 3);
  const [stretches, groupEnds] = [sharedUint32(ordered.length), sharedUint32(ends.length)];
  stretches.set(ordered);
  groupEnds.set(ends);
  return { stretches, groupEnds };
}
