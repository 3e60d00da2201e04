import { JOB_STATES } from '@contrails/platform/jobs/jobs';
import { Type } from 'typebox';

const time = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });

const job = Type.Object(
  {
    id: Type.String(),
    state: Type.Unsafe({ type: 'string', enum: [...JOB_STATES] }),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    created: time('Time when the job was requested.'),
    started: time('Time when a worker started it.'),
    finished: time('Time when the job ended.'),
    error: Type.Optional(
      Type.String({ description: 'Why it failed, or why the last attempt did, and what to do about it.' }),
    ),
    warnings: Type.Optional(Type.Array(Type.String(), { description: 'Notes on the result.' })),
    result: Type.Optional(
      Type.Unsafe({
        description: 'The response that the request would have had; null once it is no longer kept.',
      }),
    ),
    result_url: Type.Optional(
      Type.String({
        description: 'Path of the result alone, as a file, or of the product that the job made.',
      }),
    ),
    detail: Type.Optional(Type.String()),
  },
  {
    title: 'Job',
    description: 'A job with its state and result.',
    examples: [
      {
        id: '0b9a3f1c-52c1-4a0e-9f6e-6a2f3d9c8f11',
        state: 'running',
        progress: 0.42,
        created: '2026-01-01T00:00:00.000Z',
        started: '2026-01-01T00:00:00.120Z',
        finished: null,
      },
    ],
  },
);

export const jobList = Type.Object(
  {
    jobs: Type.Array(
      Type.Object({
        id: job.properties.id,
        kind: Type.String({ description: 'Kind of computation, such as `trajectory` or `grid.cocip`.' }),
        state: job.properties.state,
        progress: job.properties.progress,
        created: job.properties.created,
        started: job.properties.started,
        finished: job.properties.finished,
        error: job.properties.error,
        warnings: job.properties.warnings,
      }),
    ),
  },
  { title: 'JobList' },
);

/** A result is a stream, which has no schema. */
export const jobResponse = Type.Unsafe<unknown>(job);

export const jobResult = Type.Object(
  {},
  {
    title: 'JobResult',
    additionalProperties: true,
    description: 'The response body that the request would have had.',
  },
);
