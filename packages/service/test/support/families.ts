import { afterAll } from 'vitest';
import { type Config, loadConfig } from '../../src/config/load.ts';
import { withDemoWeather } from '../../src/demo.ts';
import { allFamilies } from '../../src/families/index.ts';
import type { Family } from '../../src/http/app.ts';
import { createLog } from '../../src/log.ts';
import { openParts } from '../../src/services.ts';
import { temporaryDirectory } from './temporary.ts';

/** Every family that is served, on real parts with synthetic weather. */
export async function trialFamilies(more: (config: Config) => Config = withDemoWeather): Promise<Family[]> {
  const data = await temporaryDirectory();
  const environment = { CONTRAILS_DATA: data, CONTRAILS_LOG__LEVEL: 'error' };
  const config = more(loadConfig({ environment, directory: data }));
  const parts = await openParts(config, createLog(config.log));
  afterAll(() => parts.close());
  return allFamilies(parts, config);
}
