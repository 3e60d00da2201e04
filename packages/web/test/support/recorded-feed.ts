/** A receiver that replays a recording: one `aircraft.json` for every moment, as readsb writes them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const STEP_MS = 20_000;
const MS_PER_DEG = 480_000;

interface Flown {
  readonly hex: string;
  readonly flight: string;
  readonly type: string;
  readonly latitude: number;
  /** Of the end of the recording. */
  readonly longitude: number;
  readonly altitudeFt: number;
}

/** Eight aircraft on parallel tracks to the east. */
const AIRCRAFT: readonly Flown[] = Array.from({ length: 8 }, (_, k) => ({
  hex: `3c4b${(0x20 + k).toString(16)}`,
  flight: `REC${k + 1}`,
  type: k % 2 === 0 ? 'A320' : 'B738',
  latitude: 47 + k,
  longitude: 9 + 0.4 * k,
  altitudeFt: 30_000 + 1000 * k,
}));

export interface RecordedFeed {
  readonly url: string;
  /** The documents of the time before the recording is replayed. */
  readonly history: readonly string[];
  /** Nothing can be had of it any more. */
  fallSilent(): Promise<void>;
}

/** Begins so long ago, and goes on for as long as it is asked. */
export async function startRecordedFeed(historyMs: number): Promise<RecordedFeed> {
  const startedMs = Date.now();
  const history = Array.from({ length: Math.floor(historyMs / STEP_MS) }, (_, k) =>
    documentAt(startedMs - historyMs + k * STEP_MS, startedMs),
  );
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(documentAt(Date.now(), startedMs));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/data/aircraft.json`,
    history,
    async fallSilent() {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function documentAt(timeMs: number, startedMs: number): string {
  const aircraft = AIRCRAFT.map(({ hex, flight, type, latitude, longitude, altitudeFt }) => ({
    hex,
    flight: flight.padEnd(8),
    type: 'adsb_icao',
    t: type,
    alt_baro: altitudeFt,
    gs: 450,
    track: 90,
    lat: latitude,
    lon: Number((longitude + (timeMs - startedMs) / MS_PER_DEG).toFixed(6)),
    nic: 8,
    nac_p: 10,
    seen_pos: 0.2,
  }));
  return JSON.stringify({ now: timeMs / 1000, messages: Math.round(timeMs / 1000), aircraft });
}
