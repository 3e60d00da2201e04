import type { Routes } from '@contrails/platform/http/app';
import { createLog } from '@contrails/platform/log';
import { afterAll } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { type Config, loadConfig } from '../../src/configuration.ts';
import { withDemoWeather } from '../../src/demo.ts';
import { familyRoutes } from '../../src/families/index.ts';
import { openServices } from '../../src/open.ts';

/** Every family that is served, on real services with synthetic weather. */
export async function trialFamilies(more: (config: Config) => Config = withDemoWeather): Promise<Routes[]> {
  const data = await temporaryDirectory();
  const environment = { CONTRAILS_DATA: data, CONTRAILS_LOG__LEVEL: 'error' };
  const config = more(loadConfig({ environment, directory: data }));
  const services = await openServices(config, createLog(config.log));
  afterAll(() => services.close());
  return familyRoutes(services, config);
}
