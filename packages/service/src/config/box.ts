import { bbox } from '@contrails/engine/grid/bbox';
import type { BoundingBox } from '@contrails/engine/grid/layout';
import { UsageError } from '@contrails/runtime/errors';
import { Type } from 'typebox';

/** West, south, east and north of a region. */
export function boxSetting(description: string) {
  return Type.Optional(
    Type.Array(Type.Number({ minimum: -180, maximum: 360 }), {
      description,
      minItems: 4,
      maxItems: 4,
      allowed: 'four numbers: west, south, east, north',
    }),
  );
}

export function boxOf(setting: string, corners: readonly number[]): BoundingBox {
  const read = bbox().read(setting, corners.join(','));
  if ('value' in read) return read.value;
  throw new UsageError(read.errors.map(({ msg }) => msg).join('; '));
}
