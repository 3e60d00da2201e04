/** The services with a source of imagery, driven step by step. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '@contrails/platform/log';
import { temporaryDirectory } from '../../../../../../test/support/temporary.ts';
import { until } from '../../../../../../test/support/until.ts';
import { type Config, loadConfig } from '../../../../src/configuration.ts';
import { enqueueIndex } from '../../../../src/families/observations/attribution/flight-index.ts';
import { enqueueRolls } from '../../../../src/families/observations/attribution/jobs.ts';
import { type ObservationRules, observationRules } from '../../../../src/families/observations/config.ts';
import { detectorKey } from '../../../../src/families/observations/frames/detector.ts';
import { planFrames } from '../../../../src/families/observations/frames/jobs.ts';
import { observationHandlers } from '../../../../src/families/observations/jobs.ts';
import { LOOKS } from '../../../../src/families/observations/sources/feeds.ts';
import { syncSources } from '../../../../src/families/observations/sources/sources.ts';
import type { Services } from '../../../../src/services.ts';
import { openWarmServices } from '../../../support/warm-services.ts';

export interface Trial {
  readonly services: Services;
  readonly config: Config;
  readonly rules: ObservationRules;
  /** Looks at every source once. */
  look(): Promise<void>;
  /** Plans, and does everything that is queued. */
  work(nowMs?: number, settings?: Partial<Config>): Promise<void>;
  close(): Promise<void>;
}

export interface TrialOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly observations: Partial<Config['observations']>;
  /** Of the weather, as the configuration file has it. */
  readonly met?: Readonly<Record<string, unknown>>;
}

export async function openTrial({ environment = {}, observations, met }: TrialOptions): Promise<Trial> {
  const directory = await temporaryDirectory();
  const file = join(directory, 'contrails.yaml');
  await writeFile(file, JSON.stringify({ met: { sources: met === undefined ? [] : [met] } }));
  const loaded = loadConfig({
    file,
    environment: {
      CONTRAILS_DATA: directory,
      CONTRAILS_LOG__LEVEL: 'error',
      CONTRAILS_WORKERS__THREADS: '2',
      ...environment,
    },
    directory,
  });
  const config: Config = {
    ...loaded,
    observations: { ...loaded.observations, ...observations },
  };
  const rules = observationRules(config.observations);
  const log = createLog(config.log);
  const services = await openWarmServices(config, log);
  await syncSources(services.database, rules.sources, Date.now());
  return {
    services,
    config,
    rules,
    async look() {
      const detector = await detectorKey(rules);
      const { database, store } = services;
      for (const source of rules.sources) {
        await LOOKS[source.kind](
          { database, store, s3: config.s3 },
          source,
          detector,
          AbortSignal.timeout(60_000),
        );
      }
    },
    async work(nowMs = Date.now(), settings = {}) {
      await planFrames(services, rules, nowMs);
      await enqueueRolls(services.jobs, rules, nowMs);
      await enqueueIndex(services, rules, nowMs);
      const worker = services.jobs.work(observationHandlers(services, { ...config, ...settings }, rules), {
        concurrency: 2,
        log,
      });
      const isIdle = async () => {
        const counts = await services.jobs.counts();
        return counts.queued + counts.running + counts.waiting === 0;
      };
      await until('the queue is empty', isIdle, { seconds: 230 });
      await worker.stop();
    },
    close: () => services.close(),
  };
}
