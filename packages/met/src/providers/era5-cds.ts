import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, SECOND_MS } from '@contrails/runtime';
import { RemoteFailure, SyncError } from '../sync/failures.ts';
import type { FetchTools, PlannedFile, Provider, RunsOnRoot, Wants } from '../sync/provider.ts';
import type { Answer, Remote } from '../sync/remote.ts';
import { convert } from './conversion.ts';
import { ERA5_LEVELS, era5 } from './era5.ts';
import { fetchWhole } from './fetch-whole.ts';
import { unzipInPlace } from './unzip.ts';

const DATASETS = {
  levels: {
    id: 'reanalysis-era5-pressure-levels',
    variables: [
      'temperature',
      'specific_humidity',
      'u_component_of_wind',
      'v_component_of_wind',
      'vertical_velocity',
      'geopotential',
      'specific_cloud_ice_water_content',
    ],
    stored: ['t', 'q', 'u', 'v', 'w', 'z', 'ciwc'],
  },
  radiation: {
    id: 'reanalysis-era5-single-levels',
    variables: ['top_net_solar_radiation', 'top_net_thermal_radiation'],
    stored: ['tsr', 'ttr'],
  },
} as const;
type Part = keyof typeof DATASETS;

/** Of a day. */
const HOURS = 24;
/** Of a day on all levels, per level and variable, as the store packs it [bytes]. */
const FIELD_BYTES = 1.5e6;
const FIRST_LOOK_MS = 5 * SECOND_MS;
const MAX_LOOK_MS = 120 * SECOND_MS;

/** ERA5 of the Climate Data Store, which asks for a key and makes users wait. */
export const era5Cds: Provider = {
  ...era5,
  name: 'era5-cds',
  delayMs: 5 * DAY_MS,
  roots: () => ['https://cds.climate.copernicus.eu/api'],
  politeness: () => ({ connections: 2 }),
  open: (remote, wants) => cdsRuns(remote, wants),
};

function cdsRuns(remote: Remote, wants: Wants): RunsOnRoot {
  return {
    hasStep: async () => true,
    planStep: async (dayMs) =>
      (Object.keys(DATASETS) as Part[]).map((part) => plannedFile(dayMs, part, wants)),
    async fetch(dayMs, file, tools) {
      if (wants.key === undefined) {
        throw new SyncError(
          'era5-cds needs a key',
          'set CONTRAILS_MET__CDS_KEY to the one of https://cds.climate.copernicus.eu/profile',
        );
      }
      const client = new CdsClient(remote, wants.key, tools);
      const job = await client.job(file.path, requestOf(dayMs, file, wants));
      await client.wait(job);
      const result = await client.result(job);
      for (let attempt = 1; ; attempt++) {
        try {
          const hours = await fetchResult(remote, result, partOf(file), tools);
          if (hours < HOURS) tools.onNotice(fewHours(dayMs, file, hours));
          break;
        } catch (error) {
          if (!(error instanceof RemoteFailure) || error.kind !== 'damaged' || attempt > 1) throw error;
        }
      }
      tools.onProgress(file.bytes);
      await rm(`${tools.part}.job`, { force: true });
      return undefined;
    },
  };
}

/** The store gives what it has of a day that is not complete. */
function fewHours(dayMs: number, file: PlannedFile, hours: number): string {
  return `the Climate Data Store has ${hours} of the ${HOURS} hours of ${isoDay(dayMs)} (${partOf(file)}); fetch the day again later: remove its folder, and run the command again`;
}

/** The file of a result, checked: it opens, and has what was asked for; returns how many hours it has. */
async function fetchResult(
  remote: Remote,
  { href, bytes }: CdsResult,
  part: Part,
  tools: FetchTools,
): Promise<number> {
  await fetchWhole(remote, { role: '', path: href, bytes }, tools.part);
  await unzipInPlace(tools.part);
  const check = { kind: 'check', path: tools.part, variables: DATASETS[part].stored } as const;
  return (await convert(check, [], tools.signal)) ?? 0;
}

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

const partOf = ({ name }: PlannedFile): Part => (name.endsWith('-levels.nc') ? 'levels' : 'radiation');

function plannedFile(dayMs: number, part: Part, { levels }: Wants): PlannedFile {
  const { id, variables } = DATASETS[part];
  return {
    name: `era5-cds-${isoDay(dayMs).replaceAll('-', '')}-${part}.nc`,
    step: 0,
    path: `retrieve/v1/processes/${id}/execution`,
    etag: undefined,
    bytes: HOURS * variables.length * (part === 'levels' ? levels.length : 1) * FIELD_BYTES,
    pieces: [],
  };
}

function requestOf(dayMs: number, file: PlannedFile, { levels, bbox }: Wants): Record<string, unknown> {
  const part = partOf(file);
  const [year, month, day] = isoDay(dayMs).split('-');
  const [west, south, east, north] = bbox ?? [];
  return {
    product_type: ['reanalysis'],
    variable: DATASETS[part].variables,
    year: [year],
    month: [month],
    day: [day],
    time: Array.from({ length: HOURS }, (_, hour) => `${String(hour).padStart(2, '0')}:00`),
    ...(part === 'levels' ? { pressure_level: (levels.length > 0 ? levels : ERA5_LEVELS).map(String) } : {}),
    ...(bbox === undefined ? {} : { area: [north, west, south, east] }),
    data_format: 'netcdf',
    download_format: 'unarchived',
  };
}

interface CdsResult {
  readonly href: string;
  readonly bytes: number;
}

/** Jobs of the store. A job's number is kept beside the file: the next process asks for the same job. */
class CdsClient {
  readonly #remote: Remote;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #tools: FetchTools;

  constructor(remote: Remote, key: string, tools: FetchTools) {
    this.#remote = remote;
    this.#headers = { 'PRIVATE-TOKEN': key };
    this.#tools = tools;
  }

  async job(path: string, inputs: unknown): Promise<string> {
    const kept = `${this.#tools.part}.job`;
    const known = await readFile(kept, 'utf8').catch(() => undefined);
    if (known !== undefined) return known;
    const { jobID: id } = await this.#ask<{ jobID: string }>(path, JSON.stringify({ inputs }));
    await writeFile(kept, id, { flush: true });
    return id;
  }

  async wait(job: string): Promise<void> {
    for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(1.5 * waitMs, MAX_LOOK_MS)) {
      const { status } = await this.#ask<{ status: string }>(`retrieve/v1/jobs/${job}`);
      if (status === 'successful') return;
      if (status !== 'accepted' && status !== 'running') {
        await rm(`${this.#tools.part}.job`, { force: true });
        throw new SyncError(
          `the Climate Data Store ended job ${job} as ${status}`,
          'see https://cds.climate.copernicus.eu/requests, and run the command again',
        );
      }
      const { signal } = this.#tools;
      await sleep(this.#remote.scaled(waitMs), undefined, signal === undefined ? {} : { signal });
    }
  }

  async result(job: string): Promise<CdsResult> {
    const { asset } = await this.#ask<{ asset: { value: { href: string; 'file:size': number } } }>(
      `retrieve/v1/jobs/${job}/results`,
    );
    return { href: asset.value.href, bytes: asset.value['file:size'] };
  }

  async #ask<T>(path: string, body?: string): Promise<T> {
    const isPost = body !== undefined;
    const answer = await this.#remote.request(path, {
      method: isPost ? 'POST' : 'GET',
      headers: { ...this.#headers, ...(isPost ? { 'content-type': 'application/json' } : {}) },
      ...(isPost ? { body } : {}),
      expects: [200, 201, 401, 403],
    });
    if (answer.status === 401) {
      throw new SyncError(
        'the key is not accepted by the Climate Data Store',
        'set CONTRAILS_MET__CDS_KEY to the one of https://cds.climate.copernicus.eu/profile',
      );
    }
    if (answer.status === 403)
      throw new SyncError(
        `the Climate Data Store refuses: ${messageOf(answer)}`,
        'then run the command again',
      );
    return JSON.parse(answer.bytes.toString('utf8')) as T;
  }
}

function messageOf({ bytes }: Answer): string {
  try {
    const { title, detail } = JSON.parse(bytes.toString('utf8')) as { title?: string; detail?: string };
    return [title, detail].filter(Boolean).join(', ');
  } catch {
    return bytes.toString('utf8').slice(0, 200);
  }
}
