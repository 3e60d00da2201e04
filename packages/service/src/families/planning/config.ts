import { type Static, Type } from 'typebox';
import type { ForecastConfig } from '../../forecast-products/config.ts';

export const planningSection = Type.Object(
  {
    memory_mib: Type.Integer({
      description:
        'Memory for the plans of one request or job, in MiB. A fleet whose plans take more is refused; flights that wait for the members of a weather ensemble are planned in batches.',
      default: 256,
      minimum: 16,
      maximum: 65_536,
    }),
    grids_mib: Type.Integer({
      description:
        'Memory for unpacked contrail grids of `contrails=grid`, in MiB, once for requests and once for jobs; a level of an hour takes 4 MiB at a quarter of a degree. 0 unpacks them for every flight.',
      default: 256,
      minimum: 0,
      maximum: 1_048_576,
    }),
  },
  { description: 'Levels and profiles of flights; see [planning](planning.md).' },
);

/** The configuration as planning reads it. */
export type PlanningConfig = ForecastConfig & { readonly planning: Static<typeof planningSection> };
