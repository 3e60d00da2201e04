import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { UnusableWeather } from '@contrails/engine/errors';
import { bbox } from '@contrails/engine/grid/bbox';
import { flightLevels } from '@contrails/engine/grid/flight-level';
import type { App } from '@contrails/platform/http/app';
import { createMetricsServer } from '@contrails/platform/http/metrics';
import { UnavailableError } from '@contrails/runtime/errors';
import { boolean } from '@contrails/runtime/options/boolean';
import { choice } from '@contrails/runtime/options/choice';
import { number } from '@contrails/runtime/options/number';
import { byDefault, optional } from '@contrails/runtime/options/parameter';
import { path, query } from '@contrails/runtime/options/query';
import { text } from '@contrails/runtime/options/text';
import { time } from '@contrails/runtime/options/time';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Registry } from 'prom-client';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { trialFamilies } from '../support/families.ts';
import { startServer } from '../support/server.ts';

describe('health', () => {
  test('/healthz is up without asking anyone', async () => {
    const server = await startServer({ checks: { database: () => Promise.reject(new Error('away')) } });
    const answer = await server.send('/healthz');
    expect([answer.status, answer.text]).toEqual([200, '{"status":"ok"}']);
  });

  test('/readyz is ready when every check is', async () => {
    const server = await startServer({ checks: { database: async () => {}, store: async () => {} } });
    const answer = await server.send('/readyz');
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      status: 'ready',
      checks: { database: { ok: true }, store: { ok: true } },
    });
  });

  test('/readyz names what fails and reveals nothing else about it', async () => {
    const server = await startServer({
      checks: {
        database: () => Promise.reject(new UnavailableError('postgres://db.internal does not answer')),
        store: async () => {},
        met: () => Promise.reject(new Error('/srv/met is gone')),
        weather: () => Promise.reject(new UnusableWeather('weather source era5: z.nc is cut off')),
      },
    });
    const answer = await server.send('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('2');
    expect(answer.problem()).toMatchObject({
      detail: 'not ready: database, met, weather',
      checks: {
        database: { ok: false, message: 'unavailable' },
        store: { ok: true },
        met: { ok: false, message: 'failed', says: 'failed' },
        weather: { ok: false, message: 'weather source era5: z.nc is cut off' },
      },
    });
    expect(answer.text).not.toMatch(/internal|srv/);
  });

  test('/readyz does not wait for a check that hangs', async () => {
    const server = await startServer({ checks: { store: () => new Promise(() => {}) } });
    const answer = await server.send('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.problem()).toMatchObject({
      checks: { store: { ok: false, message: 'no answer in time' } },
    });
  });

  test('many requests at once cause one round of checks', async () => {
    let rounds = 0;
    const server = await startServer({
      checks: {
        database: async () => {
          rounds += 1;
        },
      },
    });
    await Promise.all(Array.from({ length: 50 }, () => server.send('/readyz')));
    expect(rounds).toBe(1);
  });
});

describe('metrics', () => {
  test('are not on the public port, which names their address', async () => {
    const server = await startServer();
    const answer = await server.send('/metrics');
    expect(answer.status).toBe(404);
    expect(answer.problem().detail).toContain('metrics.serve');
  });

  test('count requests by route, method and status, wherever they are read', async () => {
    const registry = new Registry();
    const server = await startServer({
      families: [...(await trialFamilies())],
      registry,
      options: { publicMetrics: true },
    });
    await server.send('/v0/auth/validate-key');
    await server.send({ url: '/v0/auth/validate-key', headers: { 'x-api-key': server.key } });
    await server.send('/nothing/1');
    await server.send('/nothing/2');
    const { text: lines } = await server.send('/metrics');
    const name = 'contrails_http_request_duration_seconds';
    expect(lines).toContain(`# TYPE ${name} histogram`);
    expect(lines).toContain(`${name}_count{route="/v0/auth/validate-key",method="GET",status="401"} 1`);
    expect(lines).toContain(`${name}_count{route="/v0/auth/validate-key",method="GET",status="200"} 1`);
    expect(lines).toContain(`${name}_count{route="(unmatched)",method="GET",status="404"} 2`);
    expect(lines).toMatch(
      new RegExp(`${name}_bucket\\{le="\\+Inf",route="\\(unmatched\\)",method="GET",status="404"\\} 2`),
    );
    expect(lines).toMatch(/contrails_http_requests_in_flight 1/);
    expect(lines).toContain('process_resident_memory_bytes');
    expect(lines).not.toContain('ctr_');

    const own = createMetricsServer(registry).listen(0, '127.0.0.1');
    await once(own, 'listening');
    const address = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
    const read = await fetch(`${address}/metrics`);
    expect(read.headers.get('content-type')).toBe(registry.contentType);
    expect(await read.text()).toContain(`${name}_count`);
    expect((await fetch(`${address}/`)).status).toBe(404);
    own.closeAllConnections();
    own.close();
  });

  test('buckets add up', async () => {
    const registry = new Registry();
    const server = await startServer({ registry, options: { publicMetrics: true } });
    for (let round = 0; round < 5; round++) await server.send('/healthz');
    const { text: lines } = await server.send('/metrics');
    const counts = [...lines.matchAll(/_bucket\{le="[^"]+",route="\/healthz"[^}]*\} (\d+)/g)].map(
      ([, count]) => Number(count),
    );
    expect(counts.length).toBeGreaterThan(5);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(counts.at(-1)).toBe(5);
  });
});

describe('OpenAPI', async () => {
  const family = (app: App) => {
    app.get(
      '/v0/grid/:model',
      {
        config: { scope: 'research' },
        schema: {
          tags: ['grid'],
          params: path({ model: choice(['sac', 'issr']) }),
          querystring: query({
            time: time(),
            flight_level: optional(flightLevels()),
            bbox: optional(bbox()),
            threshold: byDefault(number({ minimum: 0 }), 1e8),
            interiors: byDefault(boolean(), true),
            aircraft_type: optional(text({ examples: ['B738'] })),
          }),
        },
      },
      () => ({}),
    );
    app.post(
      '/v1/run',
      {
        config: { scope: 'adsb' },
        schema: {
          body: Type.Object({
            longitude: Type.Array(Type.Number()),
            fuel: Type.Optional(Type.Enum(['JetA', 'SAF'])),
            mass: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
          }),
          response: { 200: Type.Object({ ok: Type.Boolean() }) },
        },
      },
      () => ({ ok: true }),
    );
  };

  interface Parameter {
    name: string;
    required?: boolean;
    schema: Record<string, unknown>;
    explode?: boolean;
  }
  interface Operation {
    parameters?: Parameter[] | undefined;
    security: object[];
    operationId: string;
    responses: Record<string, { content?: Record<string, unknown>; headers?: object }>;
    requestBody?: unknown;
  }
  interface Document {
    openapi: string;
    paths: Record<string, Record<string, Operation>>;
    components: {
      securitySchemes: object;
      schemas: Record<string, { properties?: object }>;
      parameters: Record<string, Parameter>;
    };
  }

  /** With parameters where they are used. */
  function resolved(made: Document): Document {
    const { parameters } = made.components;
    for (const operation of Object.values(made.paths).flatMap((item) => Object.values(item))) {
      operation.parameters = operation.parameters?.map((parameter) =>
        '$ref' in parameter
          ? (parameters[String(parameter.$ref).replace('#/components/parameters/', '')] as Parameter)
          : parameter,
      );
    }
    return made;
  }

  const NOTHING: Pick<Operation, 'parameters' | 'responses'> = { responses: {} };

  const server = await startServer({
    families: [...(await trialFamilies()), family],
    options: { version: '1.2.3' },
  });
  const answer = await server.send('/openapi.json');
  const document = resolved(answer.json<Document>());

  test('problems that only some routes have are listed', () => {
    const { get, delete: cancel } = document.paths['/v0/jobs/{id}'] ?? {};
    expect(Object.keys(get?.responses ?? {})).toContain('404');
    expect(Object.keys(cancel?.responses ?? {})).toEqual(expect.arrayContaining(['404', '409']));
    expect(Object.keys(document.paths['/v1/grids']?.get?.responses ?? {})).toContain('404');
  });

  test('a validator accepts the document', async () => {
    const result = await new Validator().validate(JSON.parse(answer.text) as Record<string, unknown>);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  test('it has every endpoint, and pages of the service are left out', () => {
    expect(Object.keys(document.paths).sort()).toEqual(
      [
        '/healthz',
        '/readyz',
        '/v0/auth/validate-key',
        '/v0/grid/accf',
        '/v0/grid/availability',
        '/v0/grid/cocip',
        '/v0/grid/issr',
        '/v0/grid/pcr',
        '/v0/grid/sac',
        '/v0/grid/weather',
        '/v0/grid/weather/contrails',
        '/v0/grid/{model}',
        '/v0/jobs',
        '/v0/jobs/{id}',
        '/v0/jobs/{id}/result',
        '/v0/status',
        '/v0/trajectory/accf',
        '/v0/trajectory/cocip',
        '/v0/trajectory/emissions',
        '/v0/trajectory/issr',
        '/v0/trajectory/sac',
        '/v1/adsb/ingest',
        '/v1/adsb/telemetry',
        '/v1/forecast/runs',
        '/v1/forecast/skill',
        '/v1/grids',
        '/v1/inventory/completeness',
        '/v1/inventory/dates',
        '/v1/inventory/rejections',
        '/v1/inventory/reports',
        '/v1/inventory/reports/{id}',
        '/v1/inventory/reports/{id}/{file}',
        '/v1/inventory/segments',
        '/v1/inventory/summary',
        '/v1/inventory/totals',
        '/v1/inventory/flight',
        '/v1/live/at',
        '/v1/live/contrails',
        '/v1/live/flights',
        '/v1/live/flights/{id}',
        '/v1/live/stream',
        '/v1/live/summary',
        '/v1/observations/flights',
        '/v1/observations/picture',
        '/v1/observations/frames',
        '/v1/observations/google/geostationary/L4/attributions',
        '/v1/observations/provider-a/source-a/L1/detections',
        '/v1/observations/provider-a/source-a/L2/segments',
        '/v1/observations/provider-b/geostationary/L4/attributions',
        '/v1/observations/verification',
        '/v1/planning/levels',
        '/v1/planning/profile',
        '/v1/planning/route',
        '/v1/regions',
        '/v1/run',
      ].sort(),
    );
    expect(document.paths['/healthz']?.head).toBeUndefined();
  });

  test('parameters are what the server reads', () => {
    const parameters = document.paths['/v0/grid/{model}']?.get?.parameters ?? [];
    const named = (name: string) => parameters.find((parameter) => parameter.name === name);
    expect(parameters.filter(({ required }) => required).map(({ name }) => name)).toEqual(['time', 'model']);
    expect(named('threshold')?.schema).toMatchObject({ type: 'number', minimum: 0, default: 1e8 });
    expect(named('flight_level')).toMatchObject({
      explode: false,
      schema: { type: 'array', items: { type: 'integer' } },
    });
    expect(named('model')?.schema).toMatchObject({ enum: ['sac', 'issr'] });
  });

  test('keys, scopes and problems are described', () => {
    expect(document.components.securitySchemes).toEqual({
      key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
    });
    const grid = document.paths['/v0/grid/{model}']?.get;
    expect(grid).toMatchObject({ security: [{ key: [] }], 'x-scope': 'research' });
    expect(Object.keys(grid?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '403',
      '406',
      '422',
      '429',
      '431',
      '500',
      '503',
    ]);
    const run = document.paths['/v1/run']?.post;
    expect(Object.keys(run?.responses ?? {})).toEqual([
      '200',
      '400',
      '401',
      '403',
      '406',
      '413',
      '415',
      '429',
      '431',
      '500',
      '503',
    ]);
    expect(document.paths['/healthz']?.get?.security).toEqual([]);
  });

  test('the page and all it loads come from this server', async () => {
    const page = await server.send('/openapi');
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; .*; style-src 'self' 'sha256-[^ ]+'; script-src 'self'; connect-src 'self'$/,
    );
    expect(page.text).not.toMatch(/https?:\/\/|<script>| on\w+=/);
    const loaded = [...page.text.matchAll(/(?:src|href)="(\/openapi\/[^"]+)"/g)].map(([, url]) => url ?? '');
    expect(loaded.length).toBe(4);
    for (const url of loaded) expect((await server.send(url)).status, url).toBe(200);
    expect((await server.send('/openapi/start.js')).text).toContain("fetch('/openapi/try-it.json')");
    const shown = await server.send('/openapi/try-it.json');
    expect(await new Validator().validate(shown.json())).toMatchObject({ valid: true });
  });

  test('the page fills in the key of the demo and no other, and no other origin can read it', async () => {
    const demo = await startServer({ options: { tryItKey: 'ctr_demokey_1' } });
    const headers = { origin: 'https://elsewhere.example' };
    const script = await demo.send({ url: '/openapi/start.js', headers });
    expect(script.text).toContain('ui.preauthorizeApiKey(\'key\', "ctr_demokey_1")');
    expect(script.headers['access-control-allow-origin']).toBeUndefined();
    expect(script.headers['cross-origin-resource-policy']).toBe('same-origin');
    expect((await server.send('/openapi/start.js')).text).not.toMatch(/preauthorize|ctr_/);
  });

  test('pages of the server learn the key of the demo, and no other origin can read it', async () => {
    const demo = await startServer({ options: { tryItKey: 'ctr_demokey_1' } });
    const answer = await demo.send({ url: '/visitor-key', headers: { origin: 'https://elsewhere.example' } });
    expect(answer.json()).toEqual({ key: 'ctr_demokey_1' });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
    expect((await server.send('/visitor-key')).json()).toEqual({ key: null });
  });

  test('the key of the demo is for names of this server only', async () => {
    const options = { tryItKey: 'ctr_demokey_1', demoHosts: ['Demo.example.org'] };
    const demo = await startServer({ options });
    const keyAt = async (host: string) => {
      const { text } = await demo.send({ url: '/openapi/start.js', headers: { host } });
      const { key } = (await demo.send({ url: '/visitor-key', headers: { host } })).json<{
        key: string | null;
      }>();
      expect(text.includes('ctr_demokey_1')).toBe(key !== null);
      return key;
    };
    for (const host of ['127.0.0.1:8080', '[::1]:8080', 'localhost:8080', '192.0.2.7', 'demo.example.org'])
      expect(await keyAt(host)).toBe('ctr_demokey_1');
    for (const host of [
      'evil.example',
      'evil.example:8080',
      'demo.example.org.evil.example',
      '127.0.0.1.evil.example',
    ])
      expect(await keyAt(host)).toBeNull();
  });

  test('every status, header and job of files and models is described', () => {
    const files = ['/v0/grid/sac', '/v0/grid/cocip', '/v1/grids', '/v1/regions', '/v0/jobs/{id}/result'];
    for (const path of files) {
      const { responses, parameters = [] } = document.paths[path]?.get ?? NOTHING;
      expect(Object.keys(responses), path).toEqual(expect.arrayContaining(['200', '206', '304', '416']));
      expect(Object.keys(responses['200']?.headers ?? {}), path).toEqual(
        expect.arrayContaining(['ETag', 'Last-Modified', 'x-request-id']),
      );
      expect(
        parameters.map(({ name }) => name),
        path,
      ).toEqual(expect.arrayContaining(['If-None-Match', 'Range']));
    }
    const { responses, parameters = [] } = document.paths['/v0/trajectory/cocip']?.post ?? NOTHING;
    expect(parameters.map(({ name }) => name)).toContain('Prefer');
    expect(Object.keys(responses['202']?.headers ?? {})).toContain('Location');
    expect(Object.keys(responses['200']?.headers ?? {})).toContain('contrails-warnings');
    expect(responses['202']).toMatchObject({ links: { job: { operationId: 'getJob' } } });
  });

  test('schemas that clients want a type for are shared', () => {
    const { schemas } = document.components;
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['Flight', 'FeatureCollection', 'Problem', 'CocipResult', 'Job']),
    );
    expect(JSON.stringify(document.paths).match(/"title":/g)).toBeNull();
    expect(Object.keys(schemas.CocipResult?.properties ?? {})).toEqual(
      expect.arrayContaining([
        'met_source_provider',
        'rhi',
        'fuel_flow',
        'co2e_gwp100',
        'totals',
        'contrail',
      ]),
    );
  });

  test('every operation has its own id', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids).toEqual(expect.arrayContaining(['getGridSac', 'postTrajectoryCocip', 'getJob', 'cancelJob']));
    expect(ids.every((id) => /^[a-z][A-Za-z]+$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('assets are compressed, tagged and not sent twice', async () => {
    const url = '/openapi/swagger-ui-bundle.js';
    const [plain, packed] = [
      await server.send(url),
      await server.send({ url, headers: { 'accept-encoding': 'gzip, br' } }),
    ];
    expect(packed.headers['content-encoding']).toBe('br');
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
    const again = await server.send({
      url,
      headers: { 'accept-encoding': 'br', 'if-none-match': String(packed.headers.etag) },
    });
    expect(again.status).toBe(304);
  });
});
