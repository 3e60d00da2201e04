import { Type } from 'typebox';

const range = Type.Array(Type.String({ format: 'date-time' }), {
  maxItems: 2,
  description: 'First and last time available; empty if there is none.',
});

export const availabilityAnswer = Type.Object(
  {
    cocip: range,
    cocip_on_request: Type.Array(Type.String({ format: 'date-time' }), {
      maxItems: 2,
      description: 'First and last hour whose contrail grid is computed from reanalysis on request.',
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
