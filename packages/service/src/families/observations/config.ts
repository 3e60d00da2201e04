import { isAbsolute, resolve } from 'node:path';
import { duration, durationMs } from '@contrails/platform/config/duration';
import { requireOwnSettings } from '@contrails/platform/config/own-settings';
import { secret } from '@contrails/platform/config/schema';
import { oneOf } from '@contrails/platform/one-of';
import { DAY_MS } from '@contrails/runtime';
import { UsageError } from '@contrails/runtime/errors';
import { type Static, Type } from 'typebox';
import { boxSetting } from '../../config/box.ts';
import type { CoreConfig } from '../../config/core.ts';
import type { InventorySettings } from '../../inventory-store/config.ts';
import type { TelemetrySettings } from '../../telemetry-store/config.ts';

const keepDays = (what: string, fallback: 'forever' | number) =>
  Type.Union([Type.Literal('forever'), Type.Integer({ minimum: 1, maximum: 36_500 })], {
    description: `How long ${what} are kept, in days.`,
    default: fallback,
  });

/** Where frames come from: a folder that is watched, a bucket that is listed, a store that is searched, or a generator. */
const SOURCE_KINDS = ['folder', 'bucket', 'data_store', 'synthetic'] as const;

/** Satellites by the place that they look from. */
export const SATELLITES = ['goes-east', 'goes-west', 'himawari', 'mtg-0', 'msg-0'] as const;
export type Satellite = (typeof SATELLITES)[number];

const source = Type.Object({
  name: Type.Optional(
    Type.String({
      description: 'Name of the source in metrics and findings.',
      pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
      allowed: 'letters, digits, dots, dashes and underscores',
    }),
  ),
  kind: Type.Optional(
    oneOf(SOURCE_KINDS, {
      description:
        '`folder` reads the finished files of a directory, `bucket` lists an S3-compatible bucket again and again, `data_store` searches the Data Store of EUMETSAT for frames of `mtg-0` and downloads them with the account of `observations.eumetsat`, `synthetic` makes up images of the contrails of your own telemetry and weather.',
    }),
  ),
  satellite: Type.Optional(
    oneOf(SATELLITES, {
      description: 'The satellite whose frames are taken; those of others in the same place are left alone.',
    }),
  ),
  path: Type.Optional(
    Type.String({
      description:
        'Directory of a `folder`, which every worker has to see. Relative to the directory of the configuration file.',
      minLength: 1,
      allowed: 'a directory',
    }),
  ),
  remove: Type.Optional(
    Type.Boolean({
      description: '`true` removes the files of a `folder` when their frame is published.',
      default: false,
    }),
  ),
  bucket: Type.Optional(
    Type.String({
      description: 'Name of the bucket, such as `noaa-goes19`.',
      pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
      allowed: 'the name of a bucket',
    }),
  ),
  prefix: Type.Optional(
    Type.String({
      description:
        'What keys of a `bucket` begin with, with `{year}`, `{month}`, `{day}`, `{day_of_year}`, `{hour}` and `{minute}` (of ten) in place of the time: `ABI-L2-CMIPF/{year}/{day_of_year}/{hour}/`.',
      minLength: 1,
      allowed: 'the beginning of keys',
    }),
  ),
  endpoint: Type.Optional(
    Type.String({
      description:
        'Address of the server of a `bucket`, unless it is AWS, or of a `data_store`, unless it is EUMETSAT.',
      pattern: '^https?://[^@\\s]+$',
      allowed: 'an http:// or https:// address without credentials',
    }),
  ),
  bbox: boxSetting(
    'West, south, east and north in degrees: of a `data_store`, only the chunks that show this region are downloaded.',
  ),
  region: Type.Optional(Type.String({ description: 'Region of a `bucket`.', default: 'us-east-1' })),
  signed: Type.Optional(
    Type.Boolean({
      description: '`true` signs requests with the credentials of `s3`; public archives need none.',
      default: false,
    }),
  ),
  interval: Type.Optional(duration('Time between two scans of the source.', '30s')),
  backfill: Type.Optional(duration('How far back frames are taken when the source is new.', '3h')),
  complete_within: Type.Optional(
    duration('A frame that still lacks files so long after its first one is quarantined.', '15min'),
  ),
  stalled_after: Type.Optional(
    duration(
      'A source without a new frame for so long counts as stalled in metrics and `contrails doctor`.',
      '40min',
    ),
  ),
  enabled: Type.Optional(Type.Boolean({ description: '`false` stops the source.', default: true })),
});

const servedPath = Type.Object({
  path: Type.String({
    description: 'Provider and source in the address, such as `noaa/goes-east`.',
    pattern: '^[a-z0-9][a-z0-9-]{0,63}/[a-z0-9][a-z0-9-]{0,63}$',
    allowed: 'two names with a slash between them',
  }),
  satellite: oneOf(SATELLITES, { description: 'The satellite that is served there.' }),
});

export const observationsSection = Type.Object(
  {
    sources: Type.Array(source, {
      description: 'Sources of satellite imagery.',
      default: [],
      allowed: 'a list of sources, each with name, kind, satellite and what the kind needs',
    }),
    eumetsat: Type.Optional(
      Type.Object(
        {
          consumer_key: secret('Consumer key of the account.'),
          consumer_secret: secret('Consumer secret of the account.'),
        },
        { description: 'Account at EUMETSAT, which downloads of a `data_store` need.' },
      ),
    ),
    satellite: Type.Optional(
      oneOf(SATELLITES, {
        description:
          'The satellite that requests without `satellite` get; that of the first source if it is not set.',
      }),
    ),
    paths: Type.Array(servedPath, {
      description:
        'Further addresses: `noaa/goes-east` serves a satellite at `/v1/observations/noaa/goes-east/L1/detections` and `…/L2/segments`.',
      default: [],
      allowed: 'a list of entries with path and satellite',
    }),
    detector: Type.Union([Type.Literal('ridge'), Type.Literal('ridge-long'), Type.Literal('onnx')], {
      description:
        '`ridge` and `ridge-long` need no model; `onnx` runs the model of `model`, and falls back to `ridge` where it cannot.',
      default: 'ridge',
    }),
    model: Type.Optional(
      Type.String({
        description: 'Directory with `model.onnx` and `manifest.json`, for the detector `onnx`.',
        minLength: 1,
        allowed: 'a directory',
      }),
    ),
    skip_stationary: Type.Boolean({
      description:
        '`true` leaves out lines that stand still over two earlier frames, such as coasts and valleys: a contrail drifts. Not for `onnx`; a frame whose earlier frames are missing, or do not fit into `memory_mib`, is processed without.',
      default: true,
    }),
    max_vza: Type.Number({
      description: 'Pixels with a larger view zenith angle are not used, in degrees.',
      default: 70,
      minimum: 10,
      maximum: 85,
    }),
    licence: Type.String({
      description: 'Licence of the L1 files, as it stands in them.',
      default: 'ask the operator of this service',
      minLength: 1,
    }),
    attribution: Type.Boolean({
      description: '`false` computes no attributions of contrails to flights.',
      default: true,
    }),
    keep_l1_days: keepDays('detections (L1)', 30),
    keep_l2_days: keepDays('segments (L2)', 'forever'),
    keep_l4_days: keepDays('attributions (L4)', 'forever'),
    memory_mib: Type.Integer({
      description:
        'Memory for the frames that a worker processes at once, in MiB; a full disk takes about 1500. A frame that needs more by itself is quarantined.',
      default: 2048,
      minimum: 64,
      maximum: 1_048_576,
    }),
  },
  { description: 'Contrails in satellite imagery; see [observations](observations.md).' },
);

export type ObservationSettings = Static<typeof observationsSection>;

/** The configuration as observations read it: flights come from telemetry, and run through the models as in the inventory. */
export type ObservationsConfig = CoreConfig & {
  readonly telemetry: TelemetrySettings;
  readonly inventory: InventorySettings;
  readonly observations: ObservationSettings;
};

export type SourceKind = (typeof SOURCE_KINDS)[number];

/** A source, complete for its kind. */
export interface FrameSource {
  readonly name: string;
  readonly kind: SourceKind;
  readonly satellite: Satellite;
  /** Of a folder. */
  readonly path: string;
  readonly removesFiles: boolean;
  /** Of a bucket. */
  readonly bucket: string;
  readonly prefix: string;
  readonly region: string;
  readonly isSigned: boolean;
  /** Of a bucket or a data store. */
  readonly endpoint: string | undefined;
  /** Of a data store: degrees. */
  readonly bbox:
    | { readonly west: number; readonly south: number; readonly east: number; readonly north: number }
    | undefined;
  readonly intervalMs: number;
  readonly backfillMs: number;
  readonly completeWithinMs: number;
  readonly stalledAfterMs: number;
  readonly isEnabled: boolean;
}

/** Settings in the units that the code works with. */
export interface ObservationRules {
  readonly sources: readonly FrameSource[];
  /** What a request without `satellite` gets; undefined without a source. */
  readonly satellite: Satellite | undefined;
  readonly paths: readonly { readonly path: string; readonly satellite: Satellite }[];
  readonly detector: 'ridge' | 'ridge-long' | 'onnx';
  /** Directory of the model. */
  readonly model: string | undefined;
  /** Whether lines that stand still are left out, where earlier frames show it. */
  readonly skipsStationary: boolean;
  readonly maxViewZenithDeg: number;
  readonly licence: string;
  readonly attributes: boolean;
  readonly keepMs: { readonly l1: number; readonly l2: number; readonly l4: number };
  readonly memoryBytes: number;
}

const MEBIBYTE = 2 ** 20;

/** Throws a `UsageError` that names the first setting that cannot work. */
export function observationRules(settings: ObservationSettings): ObservationRules {
  const sources = settings.sources.map((one, index) => frameSource(one, `observations.sources[${index}]`));
  sources.forEach(({ name }, index) => {
    if (sources.findIndex((other) => other.name === name) < index) {
      throw new UsageError(
        `observations.sources[${index}].name is ${name}, which an earlier source has already; give it another name`,
      );
    }
  });
  const lone = settings.sources.findIndex(({ kind, enabled }) => kind === 'data_store' && enabled !== false);
  if (
    lone !== -1 &&
    (settings.eumetsat?.consumer_key === undefined || settings.eumetsat.consumer_secret === undefined)
  ) {
    throw new UsageError(
      `observations.sources[${lone}] is a data_store, whose downloads need an account at EUMETSAT; set CONTRAILS_OBSERVATIONS__EUMETSAT__CONSUMER_KEY and CONTRAILS_OBSERVATIONS__EUMETSAT__CONSUMER_SECRET`,
    );
  }
  if (settings.detector === 'onnx' && settings.model === undefined) {
    throw new UsageError(
      'observations.model is missing; the detector onnx needs the directory of a model, or choose ridge',
    );
  }
  return {
    sources,
    satellite: settings.satellite ?? sources[0]?.satellite,
    paths: settings.paths,
    detector: settings.detector,
    model: settings.model,
    skipsStationary: settings.skip_stationary,
    maxViewZenithDeg: settings.max_vza,
    licence: settings.licence,
    attributes: settings.attribution,
    keepMs: {
      l1: keptMs(settings.keep_l1_days),
      l2: keptMs(settings.keep_l2_days),
      l4: keptMs(settings.keep_l4_days),
    },
    memoryBytes: settings.memory_mib * MEBIBYTE,
  };
}

function keptMs(days: 'forever' | number): number {
  return days === 'forever' ? Number.POSITIVE_INFINITY : days * DAY_MS;
}

type SourceSetting = ObservationSettings['sources'][number] & { readonly directory?: string };

/** Settings that only some kinds have; those without a default have to be given. */
const OWN_SETTINGS: Readonly<Record<SourceKind, readonly (keyof SourceSetting)[]>> = {
  folder: ['path', 'remove'],
  bucket: ['bucket', 'prefix', 'endpoint', 'region', 'signed'],
  data_store: ['endpoint', 'bbox'],
  synthetic: [],
};
const WITHOUT_DEFAULT: readonly (keyof SourceSetting)[] = ['path', 'bucket', 'prefix'];

function frameSource(setting: SourceSetting, where: string): FrameSource {
  const { name, kind, satellite, directory = '.', path = '' } = setting;
  if (name === undefined) throw new UsageError(`${where}.name is missing; give the source a name`);
  if (kind === undefined) {
    throw new UsageError(`${where}.kind is missing; choose from ${SOURCE_KINDS.join(', ')}`);
  }
  if (satellite === undefined) {
    throw new UsageError(`${where}.satellite is missing; choose from ${SATELLITES.join(', ')}`);
  }
  if (kind === 'data_store' && satellite !== 'mtg-0') {
    throw new UsageError(`${where}.satellite is ${satellite}; a data_store has frames of mtg-0 only`);
  }
  requireOwnSettings(setting, kind, where, { own: OWN_SETTINGS, withoutDefault: WITHOUT_DEFAULT });
  return {
    name,
    kind,
    satellite,
    path: path === '' || isAbsolute(path) ? path : resolve(directory, path),
    removesFiles: setting.remove ?? false,
    bucket: setting.bucket ?? '',
    prefix: setting.prefix ?? '',
    endpoint: setting.endpoint,
    bbox: setting.bbox === undefined ? undefined : regionOf(setting.bbox, where),
    region: setting.region ?? 'us-east-1',
    isSigned: setting.signed ?? false,
    intervalMs: durationMs(setting.interval ?? '30s'),
    backfillMs: durationMs(setting.backfill ?? '3h'),
    completeWithinMs: durationMs(setting.complete_within ?? '15min'),
    stalledAfterMs: durationMs(setting.stalled_after ?? '40min'),
    isEnabled: setting.enabled ?? true,
  };
}

function regionOf([west = 0, south = 0, east = 0, north = 0]: readonly number[], where: string) {
  if (south < north && south >= -90 && north <= 90 && west !== east) return { west, south, east, north };
  throw new UsageError(
    `${where}.bbox is ${[west, south, east, north].join(', ')}; write west, south, east, north with south below north, in degrees`,
  );
}
