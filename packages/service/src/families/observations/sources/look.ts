import type { CoreConfig } from '../../../config/core.ts';
import type { Services } from '../../../services.ts';
import type { FrameSource } from '../config.ts';

export type LookServices = Pick<Services, 'database' | 'store'> & { readonly s3: CoreConfig['s3'] };

/** One scan of a source; returns how many frames are newly due for processing. */
export type Look = (
  services: LookServices,
  source: FrameSource,
  detector: string,
  signal: AbortSignal,
) => Promise<number>;
