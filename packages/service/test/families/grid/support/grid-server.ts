import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog } from '@contrails/platform/log';
import { afterAll } from 'vitest';
import { temporaryDirectory } from '../../../../../../test/support/temporary.ts';
import { loadConfig } from '../../../../src/configuration.ts';
import { familyRoutes } from '../../../../src/families/index.ts';
import type { Services } from '../../../../src/services.ts';
import { type Answer, type Server, startServer } from '../../../support/server.ts';
import { openWarmServices } from '../../../support/warm-services.ts';

export interface GridServer {
  readonly server: Server;
  readonly services: Services;
  /** Asks for a grid with a key. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Where the service looks for weather. */
  readonly weather: string;
}

/** A server with the weather of the reference: 48° to 13° W, 32° to 67° N, at 03 and 08 h on 12 June 2024. */
export async function startGridServer(settings = ''): Promise<GridServer> {
  const data = await temporaryDirectory();
  const weather = join(data, 'weather');
  await mkdir(weather);
  await writeFile(join(data, 'contrails.yaml'), `${CONFIGURATION}${settings}`);
  const config = loadConfig({ environment: { CONTRAILS_LOG__LEVEL: 'error' }, directory: data });
  await copyFile(
    fileURLToPath(new URL('../../../../../engine/test/grid/reference/wide.nc', import.meta.url)),
    join(weather, 'wide.nc'),
  );
  const services = await openWarmServices(config, createLog(config.log));
  afterAll(() => services.close());
  const server = await startServer({ families: familyRoutes(services, config) });
  return {
    server,
    services,
    get: (path, headers = {}) => server.send({ url: path, headers: { 'x-api-key': server.key, ...headers } }),
    weather,
  };
}

const CONFIGURATION = `
met:
  memory_mib: 64
  sources:
    - { name: trial, kind: netcdf, paths: ["weather/*.nc"], provider: ECMWF, dataset: ERA5, product: reanalysis }
workers: { threads: 1 }
`;
