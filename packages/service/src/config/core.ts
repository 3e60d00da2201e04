/** The sections that several families read. */

import type { AccfSettings } from '@contrails/engine/flights/accf-settings';
import { DEVICES } from '@contrails/engine/gpu/device';
import type { MrvSettings } from '@contrails/engine/mrv/settings';
import type { PlatformConfig } from '@contrails/platform/config/load';
import { UsageError } from '@contrails/runtime/errors';
import { type Static, Type } from 'typebox';
import { accf } from './accf-schema.ts';
import { type MetSettings, met } from './met-schema.ts';
import { type MetConfig, metConfig } from './met-sources.ts';
import { syncDirectory, syncedSources } from './met-sync.ts';
import { mrv } from './mrv-schema.ts';

const grid = Type.Object(
  {
    results_mib: Type.Integer({
      description: 'Memory for cached grids and polygons, in MiB; 0 disables the cache.',
      default: 256,
      minimum: 0,
      maximum: 1_048_576,
    }),
    compute_seconds: Type.Integer({
      description:
        'Maximum computing time of a request for a contrail grid of past hours; larger requests become background jobs. 0 runs every request as a job.',
      default: 20,
      minimum: 0,
      maximum: 600,
    }),
  },
  { description: 'Gridded products; see [grids](grids.md).' },
);

const compute = Type.Object(
  {
    device: Type.Union(
      DEVICES.map((device) => Type.Literal(device)),
      {
        description:
          'What follows the contrails of grids: `gpu`, `cpu`, or `auto` for a GPU where there is one; see [GPU](gpu.md).',
        default: 'auto',
      },
    ),
    gpu_adapters: Type.Optional(
      Type.Array(Type.String({ minLength: 1, allowed: 'a name of an adapter, or a part of one' }), {
        description:
          'Adapters that compute grids side by side, by their names as `contrails doctor` prints them, or parts of the names; all unless given.',
        minItems: 1,
      }),
    ),
    gpu_memory_mib: Type.Integer({
      description: 'Memory of each GPU that keeps weather for the grids that follow, in MiB.',
      default: 4096,
      minimum: 64,
      maximum: 1_048_576,
    }),
  },
  { description: 'The device that computes grids.' },
);

export const coreSections = { met, grid, compute, accf, mrv };

/** What the rooms below the families run with. */
export interface CoreConfig extends PlatformConfig {
  readonly met: MetConfig;
  readonly grid: Static<typeof grid>;
  readonly compute: Static<typeof compute>;
  readonly accf: AccfSettings;
  readonly mrv: MrvSettings;
}

/** Completes the weather sources and refuses what cannot work. */
export function coreConfig(
  config: PlatformConfig & { readonly met: MetSettings } & Pick<
      CoreConfig,
      'grid' | 'compute' | 'accf' | 'mrv'
    >,
): CoreConfig {
  const met = metConfig(withSyncedSources(config));
  for (const name of ['valid_latitude', 'valid_hpa'] as const) {
    const [from = 0, to = 0] = config.accf[name];
    if (from > to)
      throw new UsageError(`accf.${name} is [${from}, ${to}]; give the lower end first: [${to}, ${from}]`);
  }
  const signed = met.sources.find((source) => source.kind !== 'synthetic' && source.s3Signed);
  if (signed !== undefined && config.s3.access_key_id === undefined) {
    throw new UsageError(
      `the weather source ${signed.name} has s3_signed, but there are no keys to sign with; set CONTRAILS_S3__ACCESS_KEY_ID and CONTRAILS_S3__SECRET_ACCESS_KEY, or leave s3_signed out where everybody may read`,
    );
  }
  return { ...config, met };
}

/** Sources of the configuration come first, and their names win. */
function withSyncedSources({
  met,
  data,
}: Pick<PlatformConfig, 'data'> & { readonly met: MetSettings }): MetSettings {
  const named = new Set(met.sources.map(({ name }) => name));
  const synced = syncedSources(syncDirectory({ data }, met.sync), met.sync).filter(
    ({ name }) => !named.has(name),
  );
  return {
    ...met,
    sources: [...met.sources, ...synced.map((source) => ({ ...source, paths: [...source.paths] }))],
  };
}
