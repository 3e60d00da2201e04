import { type Static, type TSchema, Type } from 'typebox';
import type { SchemaNode } from './schema-node.ts';
import type { Secret } from './secret.ts';

/**
 * The keys that this package reads, with their meaning and default; a service adds its own sections.
 * The same schema validates the file and the environment, supplies the defaults and generates `docs/configuration.md`.
 * Custom annotations: `allowed` (describes what a pattern or union accepts), `secret` (environment or file only),
 * `mayHoldPassword` (an address that is a secret if it contains a password).
 */

const seconds = (description: string, fallback: number, minimum: number, maximum: number) =>
  Type.Integer({ description, default: fallback, minimum, maximum });

/** A setting that is never shown. */
export const secret = (description: string) =>
  Type.Optional(Type.Unsafe<Secret>({ type: 'string', minLength: 1, secret: true, description }));

const server = Type.Object(
  {
    host: Type.String({
      description: 'Address to listen on; `0.0.0.0` or `::` listens on every interface.',
      default: '127.0.0.1',
      minLength: 1,
      allowed: 'a host name or IP address',
    }),
    port: Type.Integer({
      description: 'Port to listen on; 0 picks a free port.',
      default: 8080,
      minimum: 0,
      maximum: 65535,
    }),
    demo_hosts: Type.Array(
      Type.String({
        pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$',
        allowed: 'a host name such as `demo.example.org`, without a port',
      }),
      {
        description:
          'Host names under which pages of `--demo` get a key; addresses and `localhost` always do. Other names could belong to a page that was made to point here.',
        default: [],
      },
    ),
    cors_origins: Type.Array(
      Type.String({
        pattern: '^(\\*|https?://[^/\\s]+)$',
        allowed: '`*` or an origin such as `https://map.example.org`',
      }),
      {
        description:
          'Origins whose pages may call the service from a browser; `*` allows any, an empty list none.',
        default: ['*'],
      },
    ),
    body_limit_mib: Type.Integer({
      description: 'Maximum size of a request body after decompression, in MiB; larger bodies return 413.',
      default: 64,
      minimum: 1,
      maximum: 1024,
    }),
    memory_mib: Type.Union([Type.Literal('auto'), Type.Integer({ minimum: 256, maximum: 16_777_216 })], {
      description:
        'Resident memory, in MiB, beyond which a server or worker starts no more work: requests wait or return 503. `auto` is what the machine or its container has less a reserve: a tenth of it, and on small machines up to a fifth, 400 MiB.',
      default: 'auto',
      allowed: '`auto` or MiB from 256',
    }),
    max_in_flight: Type.Integer({
      description:
        'Maximum number of concurrent requests of one server; further requests return 503 before work starts.',
      default: 256,
      minimum: 1,
      maximum: 100_000,
    }),
    queue_seconds: seconds(
      'Maximum time that a request waits, in all, for compute threads and memory that other work holds. A request that would wait longer returns 503 at once.',
      10,
      1,
      600,
    ),
    max_connections: Type.Integer({
      description:
        'Maximum number of open connections of one server, reduced to what its limit of open files (`ulimit -n`) leaves beside files and threads. Beyond it, a new connection replaces the one that has been idle longest.',
      default: 10_000,
      minimum: 1,
      maximum: 1_000_000,
    }),
    max_event_loop_delay_ms: Type.Integer({
      description: 'Maximum delay of the event loop, in ms; above it, new requests return 503.',
      default: 500,
      minimum: 10,
      maximum: 600_000,
    }),
    request_timeout_seconds: seconds(
      'Maximum time for a client to send a request; slower requests return 408.',
      120,
      1,
      3600,
    ),
    keep_alive_seconds: seconds('How long an idle connection stays open for the next request.', 72, 1, 3600),
    stalled_reader_seconds: seconds(
      'Maximum time that a client may stop reading a response before the server closes the connection.',
      60,
      1,
      3600,
    ),
    shutdown_seconds: seconds(
      'Maximum time that a stopping server waits for requests and jobs in flight. After it, remaining requests are aborted and jobs return to the queue.',
      30,
      0,
      300,
    ),
  },
  { description: 'The HTTP server.' },
);

const metrics = Type.Object(
  {
    serve: Type.Union([Type.Literal('off'), Type.Literal('own'), Type.Literal('public')], {
      description:
        'Where `/metrics` is served: `off`, on its own address (`own`), or on the public port (`public`). A worker has no public port and uses its own address.',
      default: 'off',
    }),
    host: Type.String({
      description: 'Address that the metrics listen on.',
      default: '127.0.0.1',
      minLength: 1,
      allowed: 'a host name or IP address',
    }),
    port: Type.Integer({
      description: 'Port that the metrics listen on; 0 picks a free port.',
      default: 9464,
      minimum: 0,
      maximum: 65535,
    }),
  },
  { description: 'Metrics for Prometheus.' },
);

const workers = Type.Object(
  {
    threads: Type.Union([Type.Literal('auto'), Type.Integer({ minimum: 1, maximum: 1024 })], {
      description:
        'Number of threads of this process that compute, and of those that read and prepare weather, for requests and as many for jobs; `auto` is one for each available processor.',
      default: 'auto',
    }),
    jobs: Type.Integer({
      description: 'Maximum number of concurrent background jobs of this process.',
      default: 2,
      minimum: 1,
      maximum: 256,
    }),
    queue: Type.Integer({
      description: 'Maximum number of computations that wait for a thread; further requests return 503.',
      default: 64,
      minimum: 0,
      maximum: 100_000,
    }),
    heap_mib: Type.Integer({
      description:
        'JavaScript heap of one compute thread, in MiB; a thread that needs more is terminated and replaced.',
      default: 2048,
      minimum: 64,
      maximum: 65_536,
    }),
  },
  { description: 'Compute threads and background workers.' },
);

const jobs = Type.Object(
  {
    retention_days: Type.Integer({
      description: 'How long ended jobs are kept, with their results and errors.',
      default: 14,
      minimum: 1,
      maximum: 3650,
    }),
  },
  { description: 'The queue of background jobs.' },
);

const s3 = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({
        description: 'Address of the S3-compatible server; by default Amazon S3 in the region.',
        pattern: '^https?://[^@\\s]+$',
        allowed: 'an http:// or https:// address without credentials',
      }),
    ),
    region: Type.String({
      description: 'Region of the bucket.',
      default: 'us-east-1',
      minLength: 1,
      allowed: 'a region name',
    }),
    path_style: Type.Boolean({
      description: 'Put the bucket into the path instead of the host name; most self-hosted servers need it.',
      default: false,
    }),
    access_key_id: secret(
      'Access key of the bucket; by default the usual AWS sources of credentials are used.',
    ),
    secret_access_key: secret('Secret that belongs to `access_key_id`.'),
  },
  {
    description:
      'Access to the bucket if `data` is an `s3://` address, and to weather in `s3://` stores with `s3_signed`.',
  },
);

const log = Type.Object(
  {
    level: Type.Union(
      [
        Type.Literal('error'),
        Type.Literal('warn'),
        Type.Literal('info'),
        Type.Literal('debug'),
        Type.Literal('trace'),
      ],
      {
        description:
          'Minimum severity of logged lines; `--verbose` sets it to `debug`. `contrails serve --demo` logs from `warn` on unless you set it.',
        default: 'info',
      },
    ),
    format: Type.Union([Type.Literal('auto'), Type.Literal('json'), Type.Literal('text')], {
      description: 'JSON lines or readable lines on standard error; `auto` is `text` on a terminal.',
      default: 'auto',
    }),
  },
  { description: 'Logs, written to standard error.' },
);

const firstSections = {
  data: Type.String({
    description:
      'Where all data are stored: a directory, or a bucket of any S3-compatible store (`s3://bucket/prefix`). ' +
      'A relative path in the file is relative to the directory of the file.',
    default: './data',
    pattern: '^(s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\\s]*)?|(?![A-Za-z][A-Za-z0-9+.-]*://)[^\\0]+)$',
    allowed: 'a directory or s3://bucket/prefix',
  }),
  database: Type.String({
    description:
      '`embedded` (SQLite inside the data directory, for one machine) or the address of a PostgreSQL server ' +
      '(`postgres://user@host:5432/name`, for many machines). An address with a password is a secret.',
    default: 'embedded',
    pattern: '^(embedded|postgres(ql)?://\\S+)$',
    allowed: 'embedded or postgres://user@host:port/name',
    mayHoldPassword: true,
  }),
  database_password: secret('Password for `database`, if its address has none.'),
  server,
  metrics,
  workers,
};

const lastSections = { jobs, s3, log };

const platformSchema = Type.Object({ ...firstSections, ...lastSections });

/** The settings as written, with defaults; addresses are not parsed yet. */
export type PlatformSettings = Static<typeof platformSchema>;

/** The whole schema: the keys of this package and the sections of a service. */
export function composeSettings(sections: Readonly<Record<string, TSchema>>): SchemaNode {
  return Type.Object({
    ...firstSections,
    ...sections,
    ...lastSections,
  }) as SchemaNode;
}
