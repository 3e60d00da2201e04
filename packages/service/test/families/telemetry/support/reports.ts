import { createHash } from 'node:crypto';
import type { CollectionType, TelemetryColumns } from '@contrails/flights';
import type { BatchHeader, BatchReader } from '../../../../src/families/telemetry/ingest/batch.ts';
import type { StagedRows } from '../../../../src/families/telemetry/ingest/stage.ts';

export const HOUR = Date.UTC(2026, 0, 1, 6);

/** One report; what is not given has a default. */
export interface Report {
  readonly timeMs: number;
  readonly address: string;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly altitude?: number;
  readonly callsign?: string | null;
  readonly airline?: string | null;
  readonly flightId?: string | null;
  readonly nic?: number;
  readonly nacp?: number;
  readonly positionSource?: number;
  readonly ageS?: number;
  readonly legFlag?: number;
}

/** Reports as a reader hands them over. */
export function rowsOf(reports: readonly Report[], firstRecord = 0): StagedRows {
  const numbers = (read: (report: Report) => number) => Float64Array.from(reports, read);
  const nothing = () => numbers(() => Number.NaN);
  const nulls = () => reports.map(() => null);
  const rows: TelemetryColumns = {
    timestamp: numbers(({ timeMs }) => timeMs),
    latitude: numbers(({ latitude = 47 }) => latitude),
    longitude: numbers(({ longitude = 8 }) => longitude),
    collection_type: reports.map((): CollectionType => 'terrestrial'),
    altitude_baro: numbers(({ altitude = 35_000 }) => altitude),
    altitude_gnss: nothing(),
    icao_address: reports.map(({ address }) => address),
    flight_id: reports.map(({ flightId = null }) => flightId),
    callsign: reports.map(({ callsign = null }) => callsign),
    tail_number: nulls(),
    flight_number: nulls(),
    aircraft_type_icao: nulls(),
    airline_iata: reports.map(({ airline = null }) => airline),
    departure_airport_icao: nulls(),
    departure_scheduled_time: nothing(),
    arrival_airport_icao: nulls(),
    arrival_scheduled_time: nothing(),
    nic: numbers(({ nic = 8 }) => nic),
    nacp: numbers(({ nacp = 9 }) => nacp),
  };
  return {
    rows,
    work: {
      positionSource: Uint8Array.from(reports, ({ positionSource = 0 }) => positionSource),
      positionAgeS: numbers(({ ageS = 0.5 }) => ageS),
      legFlag: Uint8Array.from(reports, ({ legFlag = 0 }) => legFlag),
    },
    record: Float64Array.from(reports, (_, index) => firstRecord + index),
  };
}

export function readerOf(reports: readonly Report[], ground: readonly Report[] = []): BatchReader {
  return async (sink) => {
    await sink.rows(rowsOf(reports));
    await sink.ground({
      timestamp: Float64Array.from(ground, ({ timeMs }) => timeMs),
      icao_address: ground.map(({ address }) => address),
    });
    await sink.refused(
      ground.map(({ timeMs }, index) => ({ record: reports.length + index, code: 'on_ground', timeMs })),
    );
    return reports.length + ground.length;
  };
}

export function headerOf(
  reports: readonly Report[],
  source = 'roof',
  receivedMs = HOUR + 7_200_000,
): BatchHeader {
  return {
    source,
    format: 'table',
    name: 'test',
    sha256: createHash('sha256').update(JSON.stringify(reports)).digest('hex'),
    isLive: false,
    receivedMs,
  };
}
