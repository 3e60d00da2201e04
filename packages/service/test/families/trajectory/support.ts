import { wrapLongitude } from '@contrails/physics/numerics';
import { createLog } from '@contrails/platform/log';
import { afterAll } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import type { MetSourceConfig } from '../../../src/config/met-sources.ts';
import { type Config, loadConfig } from '../../../src/configuration.ts';
import { familyRoutes } from '../../../src/families/index.ts';
import type { Services } from '../../../src/services.ts';
import { type Answer, type Server, startServer } from '../../support/server.ts';
import { openWarmServices } from '../../support/warm-services.ts';

export interface Trial extends Server {
  readonly services: Services;
  readonly config: Config;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** The service on real services, with synthetic weather that is coarse and so quickly made. */
export async function startTrial(
  resolution = 10,
  more: readonly MetSourceConfig[] = [],
  settings: Readonly<Record<string, string>> = {},
): Promise<Trial> {
  const data = await temporaryDirectory();
  const environment = { CONTRAILS_DATA: data, CONTRAILS_LOG__LEVEL: 'error', ...settings };
  const loaded = loadConfig({ environment, directory: data });
  const source = { name: 'demo', kind: 'synthetic', resolution, seed: 1 } as const;
  const config = { ...loaded, met: { ...loaded.met, sources: [source, ...more] } };
  const services = await openWarmServices(config, createLog(config.log));
  const server = await startServer({ families: familyRoutes(services, config) });
  afterAll(() => services.close());
  const post: Trial['post'] = (path, body, headers = {}) =>
    server.send({
      method: 'POST',
      url: `/v0/trajectory/${path}`,
      headers: { 'x-api-key': server.key, 'content-type': 'application/json', ...headers },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { ...server, services, config, post };
}

export interface FlightShape {
  readonly waypoints?: number;
  readonly start?: string;
  readonly stepS?: number;
  readonly longitude?: number;
  readonly latitude?: number;
  /** [° per waypoint] */
  readonly eastward?: number;
  readonly northward?: number;
  readonly cruiseFt?: number;
}

export interface FlightBody {
  readonly longitude: number[];
  readonly latitude: number[];
  readonly altitude: number[];
  readonly time: string[];
}

/** A flight in cruise, somewhat lower at its ends. */
export function flightBody(shape: FlightShape = {}): FlightBody {
  const { waypoints = 60, start = '2024-02-29T06:00:00Z', stepS = 60 } = shape;
  const { longitude = -30, latitude = 48, eastward = 0.18, northward = 0.02, cruiseFt = 36_000 } = shape;
  const each = <T>(at: (i: number) => T): T[] => Array.from({ length: waypoints }, (_, i) => at(i));
  return {
    longitude: each((i) => wrapLongitude(longitude + i * eastward)),
    latitude: each((i) => latitude + i * northward),
    altitude: each((i) => (i < 5 || i >= waypoints - 5 ? cruiseFt - 1500 : cruiseFt)),
    time: each((i) => new Date(Date.parse(start) + i * stepS * 1000).toISOString()),
  };
}

/** Flights one after the other as one fleet, named by their numbers. */
export function fleetBody(flights: readonly FlightBody[]) {
  return {
    longitude: flights.flatMap(({ longitude }) => longitude),
    latitude: flights.flatMap(({ latitude }) => latitude),
    altitude: flights.flatMap(({ altitude }) => altitude),
    time: flights.flatMap(({ time }) => time),
    flight_id: flights.flatMap(({ time }, f) => time.map(() => f)),
    aircraft_type: 'A320',
  };
}
