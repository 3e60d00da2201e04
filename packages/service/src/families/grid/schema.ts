import { MAX_BUFFER_CELLS } from '@contrails/engine/grid/buffer';
import { DEFAULT_ENGINE_EFFICIENCY } from '@contrails/engine/grid/models';
import { humidityParameters } from '@contrails/engine/options/humidity-scaling';
import { number } from '@contrails/runtime/options/number';
import { byDefault, optional } from '@contrails/runtime/options/parameter';
import { text } from '@contrails/runtime/options/text';
import { Type } from 'typebox';
import { gridParameters, polygonParameters } from '../../endpoints/grids.ts';

const weatherSource = optional(
  text({
    maxLength: 64,
    description:
      'Name of a configured weather source; without it, reanalysis where it covers the request, else forecast.',
  }),
);

/** Parameters of grids that only look at the air. */
export const airParameters = {
  ...gridParameters,
  ...polygonParameters,
  ...humidityParameters,
  buffer: byDefault(
    number({
      integer: true,
      minimum: 0,
      maximum: MAX_BUFFER_CELLS,
      description:
        'Cells that regions are widened by: a cell is 1 if a cell of the region lies within so many steps east, west, north or south. A step is 27.8 km north to south.',
    }),
    0,
  ),
  met_source: weatherSource,
};

const { format: _, ...fileParameters } = gridParameters;

/** Parameters of the weather itself, which has no polygons. */
export const weatherParameters = { ...fileParameters, ...humidityParameters, met_source: weatherSource };

/** Parameters of grids that also ask for the engine. */
export const engineParameters = {
  ...airParameters,
  engine_efficiency: byDefault(
    number({
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'Overall propulsion efficiency of the aircraft.',
    }),
    DEFAULT_ENGINE_EFFICIENCY,
  ),
};

const range = Type.Array(Type.String({ format: 'date-time' }), {
  maxItems: 2,
  description: 'First and last time that is served; empty when there is none.',
});

export const availabilityAnswer = Type.Object(
  {
    cocip: range,
    cocip_on_request: Type.Array(Type.String({ format: 'date-time' }), {
      maxItems: 2,
      description:
        'First and last hour whose contrail grid is computed from reanalysis when it is asked for.',
    }),
    issr: range,
    pcr: range,
    sac: range,
  },
  {
    title: 'GridAvailability',
    description: 'First and last time of every grid endpoint.',
    examples: [
      {
        cocip: ['2026-01-01T00:00:00Z', '2026-01-03T11:00:00Z'],
        cocip_on_request: ['2020-01-01T01:00:00Z', '2025-12-26T11:00:00Z'],
        issr: ['2020-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
        pcr: ['2020-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
        sac: ['2020-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
      },
    ],
  },
);
