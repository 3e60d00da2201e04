/** Weather that is fetched: settings, and the sources that it makes. */
import { join, resolve } from 'node:path';
import { type GeneratedSource, generatedSource, PROVIDERS, registeredSources } from '@contrails/met/sync';
import { SYNC_SOURCES } from '@contrails/met/sync-sources';
import { duration } from '@contrails/platform/config/duration';
import type { PlatformConfig } from '@contrails/platform/config/load';
import type { Secret } from '@contrails/platform/config/secret';
import { oneOf } from '@contrails/platform/one-of';
import { UsageError } from '@contrails/runtime/errors';
import { type Static, Type } from 'typebox';
import { boxOf, boxSetting } from './box.ts';

const syncedSource = Type.Object({
  source: oneOf(SYNC_SOURCES, {
    description: 'What to fetch; see [weather sources](meteorology-sources.md).',
  }),
  hours: Type.Optional(
    Type.Integer({
      description: 'Last forecast hour; rounded up to a step of the source.',
      minimum: 0,
      maximum: 384,
    }),
  ),
  levels: Type.Optional(
    Type.Array(Type.Number({ minimum: 1, maximum: 1100 }), { description: 'Pressure levels in hPa.' }),
  ),
  bbox: boxSetting('West, south, east and north in degrees, for sources that can be cut.'),
  members: Type.Optional(
    Type.Integer({ description: 'Members of the ensemble, for `ecmwf`.', minimum: 1, maximum: 50 }),
  ),
  radiation_from: Type.Optional(
    Type.String({
      description: 'Source that radiation is taken from.',
      minLength: 1,
      allowed: 'the name of another source',
    }),
  ),
  roots: Type.Optional(
    Type.Array(
      Type.String({
        pattern: '^https?://[^@\\s]+$',
        allowed: 'an http:// or https:// address without credentials',
      }),
      { description: 'Addresses that replace those of the source, in the order in which they are tried.' },
    ),
  ),
});

export const metSync = Type.Object(
  {
    directory: Type.Optional(
      Type.String({
        description:
          'Where runs are kept; by default `met/sync` of the data directory. Required where `data` is a bucket.',
        minLength: 1,
        allowed: 'a directory',
      }),
    ),
    every_minutes: Type.Integer({
      description: 'Time between two looks for a new run, in minutes.',
      default: 5,
      minimum: 1,
      maximum: 60,
    }),
    keep: duration(
      'Runs that start so long before the newest one are removed; days of a reanalysis are never removed.',
      '2d',
    ),
    max_mib_per_second: Type.Optional(
      Type.Number({
        description: 'Maximum rate of all downloads together, in MiB/s.',
        minimum: 0.01,
        maximum: 100_000,
      }),
    ),
    connections: Type.Integer({
      description: 'Maximum number of connections to one server; some servers allow fewer.',
      default: 4,
      minimum: 1,
      maximum: 16,
    }),
    sources: Type.Array(syncedSource, {
      description: 'Sources that the workers keep up to date, as `contrails met sync` does.',
      default: [],
      allowed: 'a list such as [{ source: ecmwf, hours: 36 }]',
    }),
  },
  { description: 'Weather that is fetched; see [real weather](tutorial-weather.md).' },
);

export type MetSyncSettings = Static<typeof metSync>;

export const cdsKey = Type.Optional(
  Type.Unsafe<Secret>({
    type: 'string',
    minLength: 1,
    secret: true,
    description: 'Key of the Climate Data Store, for `contrails met sync era5-cds`.',
  }),
);

/** Where runs are kept; undefined when data is a bucket and no directory is named. */
export function syncDirectory(
  { data }: Pick<PlatformConfig, 'data'>,
  { directory }: Pick<MetSyncSettings, 'directory'>,
): string | undefined {
  if (directory !== undefined) return resolve(directory);
  return data.kind === 'directory' ? join(data.path, 'met', 'sync') : undefined;
}

/** The sources that are synced by the settings, or were by the command. */
export function syncedSources(
  directory: string | undefined,
  { sources }: MetSyncSettings,
): readonly GeneratedSource[] {
  if (directory === undefined) return [];
  const configured = sources.flatMap(({ source, bbox, radiation_from, members }, k) => {
    const provider = PROVIDERS.find(({ name }) => name === source);
    if (provider === undefined) return [];
    if (bbox !== undefined) boxOf(`met.sync.sources[${k}].bbox`, bbox);
    if (provider.type === 'reanalysis') {
      throw new UsageError(
        `met.sync.sources[${k}].source is ${source}, which has no newest run to look for; remove it, and fetch days with "contrails met sync ${source} --from DAY --to DAY"`,
      );
    }
    return generatedSource(provider, directory, {
      ...(radiation_from === undefined ? {} : { radiationFrom: radiation_from }),
      hasMembers: members !== undefined,
    });
  });
  const names = new Set(configured.map(({ name }) => name));
  return [...configured, ...registeredSources(directory).filter(({ name }) => !names.has(name))];
}
