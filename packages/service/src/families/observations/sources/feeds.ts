/** Polls the configured sources; complete frames are queued at once. */

import type { Background } from '@contrails/platform/family';
import { runFeed } from '@contrails/platform/feeds/feed-loop';
import type { Log } from '@contrails/platform/log';
import type { CoreConfig } from '../../../config/core.ts';
import type { Services } from '../../../services.ts';
import type { FrameSource, ObservationRules } from '../config.ts';
import { detectorKey } from '../frames/detector.ts';
import { enqueueFrames } from '../frames/jobs.ts';
import { lookIntoBucket } from './bucket.ts';
import { lookIntoFolder } from './folder.ts';
import type { Look } from './look.ts';
import { syncSources } from './sources.ts';
import { lookAtTelemetry } from './synthetic.ts';
import { lookIntoDataStore } from './watched-data-store.ts';

/** How each kind of source is scanned. */
export const LOOKS: Readonly<Record<FrameSource['kind'], Look>> = {
  folder: lookIntoFolder,
  bucket: lookIntoBucket,
  data_store: lookIntoDataStore,
  synthetic: lookAtTelemetry,
};

export async function startSources(
  services: Services,
  s3: CoreConfig['s3'],
  rules: ObservationRules,
  log: Log,
): Promise<Background> {
  const { database, store, jobs } = services;
  await syncSources(database, rules.sources, Date.now());
  const detector = await detectorKey(rules);
  const stopping = new AbortController();
  const running = rules.sources
    .filter(({ isEnabled }) => isEnabled)
    .map((source) => {
      const feed = {
        table: 'observation_sources',
        source: source.name,
        intervalMs: source.intervalMs,
        failureMessage: 'a source of satellite imagery cannot be read; it is tried again',
        async turn(signal: AbortSignal) {
          const queued = await LOOKS[source.kind]({ database, store, s3 }, source, detector, signal);
          if (queued > 0) await enqueueFrames({ database, jobs }, Date.now());
        },
      } as const;
      return runFeed(database, feed, log, stopping.signal);
    });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
