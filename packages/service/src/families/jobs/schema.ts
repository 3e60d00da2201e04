import { JOB_STATES } from '@contrails/platform/jobs/jobs';
import { Type } from 'typebox';

const time = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });

const job = Type.Object(
  {
    id: Type.String(),
    state: Type.Unsafe({ type: 'string', enum: [...JOB_STATES] }),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    created: time('When the job was asked for.'),
    started: time('When a worker took it.'),
    finished: time('When it ended.'),
    error: Type.Optional(
      Type.String({ description: 'Why it failed, or why the last attempt did, and what to do about it.' }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'What the reader of the result should know of it.' }),
    ),
    result: Type.Optional(
      Type.Unsafe({
        description: 'What the request would have been answered with; null when it is no longer kept.',
      }),
    ),
    result_url: Type.Optional(
      Type.String({ description: 'The result alone, as a file, or the product that the job made.' }),
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
        kind: Type.String({ description: 'What computes it, such as `trajectory` or `grid.cocip`.' }),
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
    description: 'The body that the request would have been answered with.',
  },
);
