import { isAbsolute, resolve } from 'node:path';
import type { BoundingBox } from '@contrails/engine/grid/layout';
import { duration, durationMs } from '@contrails/platform/config/duration';
import { requireOwnSettings } from '@contrails/platform/config/own-settings';
import { oneOf } from '@contrails/platform/one-of';
import { DAY_MS } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import { type Static, Type } from 'typebox';
import { boxOf, boxSetting } from '../config/box.ts';
import type { CoreConfig } from '../config/core.ts';

/** What delivers reports: a folder that is watched, an address that is polled, a client that posts, or a generator. */
const SOURCE_KINDS = ['folder', 'poll', 'push', 'synthetic'] as const;

/** How late the reports of a source may come. */
const COLLECTIONS = ['receiver', 'satellite', 'archive'] as const;

const source = Type.Object({
  name: Type.Optional(
    Type.String({
      description: 'Name of the source in counts, metrics and files.',
      pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
      allowed: 'letters, digits, dots, dashes and underscores',
    }),
  ),
  kind: Type.Optional(
    oneOf(SOURCE_KINDS, {
      description:
        '`folder` reads every finished file of a directory, `poll` fetches an address again and again, `push` expects posts to `/v1/adsb/ingest` with this `source`, `synthetic` makes up traffic between real airports.',
    }),
  ),
  format: Type.Optional(
    Type.String({
      description: 'Format of the reports; recognised from the content if it is not set.',
      minLength: 1,
      allowed: 'a format of `contrails adsb read`',
    }),
  ),
  path: Type.Optional(
    Type.String({
      description:
        'Directory of a `folder`; files in it are read and never changed. Relative to the directory of the configuration file.',
      minLength: 1,
      allowed: 'a directory',
    }),
  ),
  url: Type.Optional(
    Type.String({
      description: 'Address that a `poll` fetches, such as `http://receiver/data/aircraft.json`.',
      pattern: '^https?://[^@\\s]+$',
      allowed: 'an http:// or https:// address without credentials',
    }),
  ),
  legs_per_day: Type.Optional(
    Type.Integer({
      description: 'How many flights a `synthetic` source makes up each day, about.',
      default: 1000,
      minimum: 10,
      maximum: 200_000,
    }),
  ),
  bbox: boxSetting(
    'West, south, east and north in degrees: a `synthetic` source makes up flights between airports in this box only.',
  ),
  backfill: Type.Optional(
    duration(
      'How far back the reports of a `synthetic` source begin when it starts for the first time.',
      '2d',
    ),
  ),
  interval: Type.Optional(duration('Time between two polls, or two looks into the folder.', '10s')),
  collection: Type.Optional(
    oneOf(COLLECTIONS, {
      description:
        'What collects the reports, which decides how late they may come: `receiver` 15 minutes, `satellite` 2 hours, `archive` (one file per day) a whole day.',
    }),
  ),
  lateness: Type.Optional(
    duration('How late reports may come, if the default of `collection` does not suit.'),
  ),
  stalled_after: Type.Optional(
    duration(
      'A source without a new report for so long counts as stalled in metrics and `contrails doctor`.',
      '15min',
    ),
  ),
  strict: Type.Optional(
    Type.Boolean({
      description:
        '`true` refuses a file, an answer or a post that breaks off (truncated, or with a wrong checksum) whole; otherwise what comes before is stored and the batch is marked as truncated.',
      default: false,
    }),
  ),
  enabled: Type.Optional(
    Type.Boolean({ description: '`false` stops the source and hours no longer wait for it.', default: true }),
  ),
});

export const telemetrySection = Type.Object(
  {
    sources: Type.Array(source, {
      description: 'Sources of ADS-B reports.',
      default: [],
      allowed: 'a list of sources, each with name, kind and what the kind needs',
    }),
    thin_s: Type.Integer({
      description:
        'Of every aircraft, only the first report of each interval of so many seconds is kept; 0 keeps all reports.',
      default: 30,
      minimum: 0,
      maximum: 3600,
    }),
    seal_after: duration(
      'An hour is published when all sources have passed its end, at the latest so long after its end.',
      '3h',
    ),
    close_after: duration(
      'How long after its first publication an hour accepts late reports; `contrails adsb reopen` extends it.',
      '7d',
    ),
    settle: duration('A published hour is rebuilt when no late report has come for so long.', '1min'),
    quarantine_days: Type.Integer({
      description: 'How long refused records are kept with their text.',
      default: 30,
      minimum: 1,
      maximum: 3650,
    }),
    keep_days: Type.Union([Type.Literal('forever'), Type.Integer({ minimum: 1, maximum: 36_500 })], {
      description: 'How long hours are kept after their end.',
      default: 'forever',
    }),
    compression: Type.Union([Type.Literal('zstd'), Type.Literal('snappy')], {
      description: 'Compression of the hourly files.',
      default: 'zstd',
    }),
    memory_mib: Type.Integer({
      description:
        'Memory of one import or build of an hour, in MiB; an import continues in the temporary directory beyond it, and a build divides the hour.',
      default: 400,
      minimum: 128,
      maximum: 1_048_576,
    }),
    batch_limit_mib: Type.Integer({
      description: 'Maximum size of a batch posted to `/v1/adsb/ingest` after decompression, in MiB.',
      default: 256,
      minimum: 1,
      maximum: 4096,
    }),
  },
  { description: 'ADS-B telemetry; see [telemetry](telemetry.md).' },
);

export type TelemetrySettings = Static<typeof telemetrySection>;
/** The configuration as telemetry reads it. */
export type TelemetryConfig = CoreConfig & { readonly telemetry: TelemetrySettings };

export type SourceKind = (typeof SOURCE_KINDS)[number];

/** A source, complete for its kind. */
export interface FeedConfig {
  readonly name: string;
  readonly kind: SourceKind;
  readonly format: string | undefined;
  /** Of a folder. */
  readonly path: string;
  /** Of a poll. */
  readonly url: string;
  /** Of synthetic traffic. */
  readonly legsPerDay: number;
  readonly box?: BoundingBox | undefined;
  readonly backfillMs: number;
  readonly intervalMs: number;
  readonly latenessMs: number;
  readonly stalledAfterMs: number;
  /** Refuses what breaks off. */
  readonly isStrict: boolean;
  readonly isEnabled: boolean;
}

/** Settings in the units that the code works with. */
export interface TelemetryRules {
  readonly thinS: number;
  readonly sealAfterMs: number;
  readonly closeAfterMs: number;
  readonly settleMs: number;
  readonly quarantineMs: number;
  readonly keepMs: number;
  readonly compression: 'zstd' | 'snappy';
  readonly memoryMiB: number;
  readonly batchLimitBytes: number;
  readonly feeds: readonly FeedConfig[];
}

/** Default lateness of what is imported by hand or pushed without a configured source. */
export const LATENESS_MS: Readonly<Record<(typeof COLLECTIONS)[number], number>> = {
  receiver: 15 * 60_000,
  satellite: 2 * 3_600_000,
  archive: 86_400_000,
};

const MEBIBYTE = 2 ** 20;

/** Throws a `UsageError` that names the first source that cannot work. */
export function telemetryRules(settings: TelemetrySettings): TelemetryRules {
  const feeds = settings.sources.map((one, index) => feedConfig(one, `telemetry.sources[${index}]`));
  feeds.forEach(({ name }, index) => {
    if (feeds.findIndex((other) => other.name === name) < index) {
      throw new UsageError(
        `telemetry.sources[${index}].name is ${name}, which an earlier source has already; give it another name`,
      );
    }
  });
  return {
    thinS: settings.thin_s,
    sealAfterMs: durationMs(settings.seal_after),
    closeAfterMs: durationMs(settings.close_after),
    settleMs: durationMs(settings.settle),
    quarantineMs: settings.quarantine_days * DAY_MS,
    keepMs: settings.keep_days === 'forever' ? Number.POSITIVE_INFINITY : settings.keep_days * DAY_MS,
    compression: settings.compression,
    memoryMiB: settings.memory_mib,
    batchLimitBytes: settings.batch_limit_mib * MEBIBYTE,
    feeds,
  };
}

type SourceSetting = TelemetrySettings['sources'][number] & { readonly directory?: string };

/** Settings that only some kinds have; those without a default have to be given. */
const OWN_SETTINGS: Readonly<Record<SourceKind, readonly (keyof SourceSetting)[]>> = {
  folder: ['path'],
  poll: ['url'],
  push: [],
  synthetic: ['legs_per_day', 'bbox', 'backfill'],
};
const WITHOUT_DEFAULT: readonly (keyof SourceSetting)[] = ['path', 'url'];

function feedConfig(setting: SourceSetting, where: string): FeedConfig {
  const { name, kind, directory = '.', path = '', url = '' } = setting;
  if (name === undefined) throw new UsageError(`${where}.name is missing; give the source a name`);
  if (kind === undefined) {
    throw new UsageError(`${where}.kind is missing; choose from ${SOURCE_KINDS.join(', ')}`);
  }
  requireOwnSettings(setting, kind, where, { own: OWN_SETTINGS, withoutDefault: WITHOUT_DEFAULT });
  const { collection = kind === 'folder' ? 'archive' : 'receiver' } = setting;
  return {
    name,
    kind,
    format: setting.format,
    path: path === '' || isAbsolute(path) ? path : resolve(directory, path),
    url,
    legsPerDay: setting.legs_per_day ?? 1000,
    box: setting.bbox && boxOf(`${where}.bbox`, setting.bbox),
    backfillMs: durationMs(setting.backfill ?? '2d'),
    intervalMs: durationMs(setting.interval ?? '10s'),
    latenessMs: setting.lateness === undefined ? LATENESS_MS[collection] : durationMs(setting.lateness),
    stalledAfterMs: durationMs(setting.stalled_after ?? '15min'),
    isStrict: setting.strict ?? false,
    isEnabled: setting.enabled ?? true,
  };
}
