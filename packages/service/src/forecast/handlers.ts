import type { Config } from '../config/load.ts';
import { UnavailableError } from '../errors.ts';
import { isoSecond } from '../grids/iso-time.ts';
import { gridCells } from '../grids/layout.ts';
import { handleJob, type JobHandler } from '../jobs/index.ts';
import type { Parts } from '../parts.ts';
import { areStored } from '../products/find.ts';
import { publishProducts } from '../products/publish.ts';
import { asCommandFault } from '../weather/faults.ts';
import { computeLevels, encodeLevels } from './compute-levels.ts';
import { draftsOf } from './drafts.ts';
import { partKind, planKind } from './jobs.ts';
import { adoptPlan, makePlan } from './make-plan.ts';
import { cocipKind, type ForecastPart, productKeys } from './part.ts';
import { patiently } from './patience.ts';
import { lostJobs } from './replan.ts';
import { successorOf } from './runs.ts';

type ForecastParts = Pick<Parts, 'database' | 'store' | 'met' | 'compute' | 'jobs'>;

/** Encoding takes about this share of the time of a part. */
const ENCODING_SHARE = 0.05;
const JOBS_PER_CALL = 500;

/** What runs the forecast's jobs. */
export function forecastHandlers(parts: ForecastParts, config: Config): JobHandler[] {
  const { database, jobs } = parts;
  return [
    handleJob(planKind, async (request) => {
      if (config.met.sources.length === 0) return { parts: 0 };
      const plan = await makePlan(await parts.met.open(), config, request, Date.now());
      if (plan === undefined) return { parts: 0 };
      const requests = await adoptPlan(database, plan, Date.now());
      let created = 0;
      for (let at = 0; at < requests.length; at += JOBS_PER_CALL) {
        const made = await jobs.enqueueAll(requests.slice(at, at + JOBS_PER_CALL));
        created += made.filter((job) => job.created).length;
      }
      const again = await lostJobs(parts, requests);
      created += (await jobs.enqueueAll(again)).filter((job) => job.created).length;
      return { run: isoSecond(plan.referenceTimeMs), parts: requests.length, new: created };
    }),
    handleJob(partKind, (part, context) => makePart(parts, part, context)),
  ];
}

/** Only what a handler uses of its context. */
interface PartContext {
  readonly signal: AbortSignal;
  progress(fraction: number, note?: string): void;
}

async function makePart(
  parts: ForecastParts,
  part: ForecastPart,
  { signal, progress }: PartContext,
): Promise<Record<string, unknown>> {
  const { database, store, compute } = parts;
  const onPause = (error: UnavailableError) => progress(1 - ENCODING_SHARE, `waits: ${error.message}`);
  const outdated = await patiently(() => reasonToSkip(parts, part), signal, onPause);
  if (outdated !== undefined) return { skipped: outdated };

  const started = performance.now();
  const met = await parts.met.open();
  progress(0, 'weather');
  const computed = await computeLevels(
    { compute, met },
    {
      source: part.source,
      referenceTimeMs: part.referenceTimeMs,
      timeMs: part.validTimeMs,
      aircraft: part,
      cells: gridCells(undefined, part.flightLevels, part.cellsPerDegree),
      humidityScaling: part.humidityScaling,
    },
    { signal, onProgress: (fraction) => progress(fraction * (1 - ENCODING_SHARE), 'contrails') },
  ).catch((error: unknown) => {
    throw asCommandFault(error);
  });
  if (!computed.hasWholeLives) {
    throw new UnavailableError(
      `the forecast of ${isoSecond(part.referenceTimeMs)} does not reach to the end of the contrails of ${isoSecond(part.validTimeMs)}; get the missing hours`,
    );
  }
  const regions = part.aircraftClass && {
    aircraftClass: part.aircraftClass,
    timeMs: part.validTimeMs,
    referenceTimeMs: part.referenceTimeMs,
  };
  progress(1 - ENCODING_SHARE, 'files');
  const levels = await encodeLevels({ compute }, computed, regions || undefined, { signal });
  const drafts = await draftsOf(part, computed, levels);
  await patiently(() => publishProducts({ store, database }, drafts, signal), signal, onPause);
  const bytes = drafts.flatMap((draft) => draft.parts).reduce((sum, { length }) => sum + length, 0);
  const seconds = Number(((performance.now() - started) / 1000).toFixed(1));
  return { ...computed.report, bytes, seconds };
}

/** A second run of the same job, or one whose run has been overtaken, has nothing to do. */
async function reasonToSkip({ database }: ForecastParts, part: ForecastPart): Promise<string | undefined> {
  const kind = cocipKind(part);
  if (await areStored(database, productKeys(part))) return 'published before';
  if (part.evenIfOld) return undefined;
  const successor = await successorOf(database, part, kind);
  return successor && `superseded by the run of ${isoSecond(successor.referenceTimeMs)}`;
}
