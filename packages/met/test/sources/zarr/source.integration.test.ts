import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@contrails/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../../../test/support/tools.ts';
import { MetError } from '../../../src/errors.ts';
import type { MetSource, MetWindow } from '../../../src/source.ts';
import { openZarr, type ZarrOptions } from '../../../src/sources/zarr/source.ts';
import { type FileServer, serveFiles } from '../../support/file-server.ts';
import { largestDeviation } from '../../support/model-levels.ts';
import { differences, keepThreads } from '../../support/written-netcdf.ts';
import { readWritten, wholeWindow } from '../../support/written-weather.ts';

const { python, missing } = readTools();
const needsPython = `needs Python with zarr${python === null ? ` (${missing.python})` : ''}`;
const hour = HOUR_MS;

describe.skipIf(python === null)(`Zarr stores as zarr-python writes them: ${needsPython}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'contrails-zarr-'));
  const script = join(import.meta.dirname, '../../support/write_zarr.py');
  const l137 = join(import.meta.dirname, '../../../../physics/data/model-levels-l137.csv');
  execFileSync(python ?? '', [script, directory, l137], { stdio: ['ignore', 'ignore', 'pipe'] });
  const names = readdirSync(directory)
    .filter((name) => name.endsWith('.json') && name !== 'gap.json')
    .map((name) => name.replace('.json', ''));
  let server: FileServer;
  const opened: MetSource[] = [];

  beforeAll(async () => {
    server = await serveFiles(directory);
  });
  afterEach(async () => {
    server.misbehave(() => false);
    await Promise.all(opened.splice(0).map((source) => source.close()));
  });
  afterAll(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  function sourceOf(path: string, more: Partial<ZarrOptions> = {}): MetSource {
    const source = openZarr({
      name: 'test',
      directory,
      paths: [path],
      provider: 'ECMWF',
      dataset: 'ERA5',
      product: 'reanalysis',
      threads: 1,
      http: { pauseMs: 1, stallMs: 300, attempts: 3 },
      ...more,
    });
    opened.push(source);
    return source;
  }

  keepThreads(openZarr({ name: 'kept', directory, paths: [], provider: '', dataset: '', product: '' }));

  async function failure(reading: Promise<unknown>): Promise<MetError> {
    const error = await reading.then(
      () => new Error('the read succeeded'),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(MetError);
    return error as MetError;
  }

  test.each(names)('%s is read to the last bit from a directory, in pieces where it can be', async (name) => {
    const expected = readWritten(directory, name);
    const field = await sourceOf(`${name}.zarr`, { pieceBytes: 500 }).read(wholeWindow(expected));
    expect(differences(field, expected).slice(0, 5)).toEqual([]);
    expect(field.time.knots.length).toBe(expected.time.length);
    expect(field.level.knots.length).toBe(expected.level.length);
  });

  test.each(['blocks-zstd', 'v2-gzip', 'v3-zstd', 'v3-plain', 'v3-missing'])(
    'a window of %s is read to the last bit in pieces over HTTP',
    async (name) => {
      const expected = readWritten(directory, name);
      const field = await sourceOf(`${server.url}/${name}.zarr`, { pieceBytes: 500, threads: 2 }).read({
        ...wholeWindow(expected),
        level: [226, 260],
        latitude: [-35, 35],
        longitude: [170, -170],
      });
      expect(differences(field, expected)).toEqual([]);
    },
  );

  test('only the blocks of a large chunk that a window needs are fetched', async () => {
    const expected = readWritten(directory, 'large');
    const chunk = join(directory, 'large.zarr/temperature/0.0.0.0');
    server.requests.length = 0;
    server.sentBytes = 0;
    const source = sourceOf(`${server.url}/large.zarr`, { pieceBytes: 2 ** 16 });
    const field = await source.read({ ...wholeWindow(expected), level: [600, 600] });
    expect(differences(field, expected).slice(0, 5)).toEqual([]);
    expect(server.sentBytes).toBeLessThan(statSync(chunk).size / 2);
  });

  test('a source of all members has each by its position, the first unless asked', async () => {
    const source = sourceOf('ensemble.zarr', { member: 'all' });
    expect(await source.describe()).toMatchObject({ members: [0, 1, 2], member: 0 });
    const third = source.ofMember?.(2);
    const description = await third?.describe();
    expect(description).toMatchObject({ members: [0, 1, 2], member: 2 });
    const window = {
      ...wholeWindow({ variables: ['air_temperature'], time: description?.runs[0]?.times as number[] }),
    };
    const [first, other] = [await source.read(window), await third?.read(window)];
    expect((other?.slabs[1]?.[7] as number) - (first.slabs[1]?.[7] as number)).toBeCloseTo(20, 3);
  });

  test('model levels come at the pressures asked for', async () => {
    const levels = [200, 250, 300];
    const source = sourceOf('model.zarr', { levels, pieceBytes: 1000 });
    const description = await source.describe();
    expect([description.levelType, description.levels]).toEqual(['model', levels]);
    const time = description.runs[0]?.times as number[];
    const field = await source.read(
      wholeWindow({ variables: ['air_temperature', 'specific_humidity'], time }),
    );
    // The fields are linear in ln p, so the target values are known; what remains is rounding.
    expect(largestDeviation(field, levels)).toBeLessThan(1e-4);
  });

  test.each([
    'arco',
    'blocks-blosclz',
    'v2-blosc-zstd',
    'v2-gzip',
    'v2-zlib',
    'v2-zstd',
    'v3-blosc',
    'v3-gzip',
    'v3-sharded',
    'v3-sharded-blosc',
    'v3-zstd',
  ])('%s is read to the last bit over HTTP in whole chunks, listed or not', async (name) => {
    const expected = readWritten(directory, name);
    const field = await sourceOf(`${server.url}/${name}.zarr/`).read(wholeWindow(expected));
    expect(differences(field, expected).slice(0, 5)).toEqual([]);
  });

  test('an s3:// address is read from the configured server', async () => {
    const expected = readWritten(directory, 'v3-zstd');
    const field = await sourceOf('s3://v3-zstd.zarr', { s3Endpoint: server.url }).read(wholeWindow(expected));
    expect(differences(field, expected).slice(0, 5)).toEqual([]);
  });

  test('ARCO-ERA5 holds the times that it lists as filled', async () => {
    const expected = readWritten(directory, 'arco');
    const description = await sourceOf('arco.zarr').describe();
    expect(description.runs).toMatchObject([{ times: expected.time }]);
    expect(description.kind).toBe('zarr');
    expect(description.levels).toEqual(expected.level);
    expect(description.variables).toEqual(expected.variables);
  });

  test('a window of ARCO-ERA5 fetches its hours and variables only', async () => {
    const expected = readWritten(directory, 'arco');
    const [start = 0] = expected.time;
    server.requests.length = 0;
    const field = await sourceOf(`${server.url}/arco.zarr`).read({
      variables: ['air_temperature'],
      time: [start + 2 * hour, start + 2.5 * hour],
      level: [230, 240],
      latitude: [-35, 35],
      longitude: [170, -170],
    });
    expect(differences(field, expected)).toEqual([]);
    expect([...field.time.knots]).toEqual([start + 2 * hour, start + 3 * hour]);
    expect([...field.level.knots]).toEqual([225, 250]);
    const chunks = server.requests.filter((path) => /\/(temperature|spec)[^/]*\/[\d.]+$/.test(path));
    expect(chunks.sort()).toEqual(['/arco.zarr/temperature/2.0.0.0', '/arco.zarr/temperature/3.0.0.0']);
  });

  test('a chunk that is not stored holds no weather', async () => {
    const expected = readWritten(directory, 'v3-missing');
    const field = await sourceOf('v3-missing.zarr').read(wholeWindow(expected));
    expect(field.slabs.map((slab) => slab.every(Number.isNaN))).toEqual([
      false,
      false,
      true,
      false,
      false,
      false,
    ]);
  });

  const remote = 'v2-gzip';
  const window = () => wholeWindow(readWritten(directory, remote));
  const isChunk = (path: string) => /\/temperature\/[\d.]+$/.test(path);

  test('a server that is busy for a while is asked again', async () => {
    let refusals = 0;
    server.misbehave((_, response, path) => {
      if (!isChunk(path) || refusals === 2) return false;
      refusals++;
      response.writeHead(503, { 'retry-after': '0' }).end();
      return true;
    });
    const field = await sourceOf(`${server.url}/${remote}.zarr`).read(window());
    expect(refusals).toBe(2);
    expect(differences(field, readWritten(directory, remote))).toEqual([]);
  });

  test.each([
    [
      'answers 503',
      (_: unknown, response: { writeHead(status: number): { end(): void } }) => response.writeHead(503).end(),
      /it answers 503/,
    ],
    ['never answers', () => {}, /it sends nothing for 0\.3 s/],
    [
      'stops in the middle of an answer',
      (
        _: unknown,
        response: { writeHead(status: number, headers: object): { write(bytes: string): void } },
      ) => response.writeHead(200, { 'content-length': 1000 }).write('a little'),
      /it sends nothing for 0\.3 s/,
    ],
  ])('a server that %s makes the source unavailable', async (_, answer, message) => {
    server.misbehave((request, response, path) => {
      if (!isChunk(path)) return false;
      answer(request, response as never);
      return true;
    });
    const error = await failure(sourceOf(`${server.url}/${remote}.zarr`).read(window()));
    expect(error).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(message) });
    expect(error.message).toContain('after 3 attempts');
  });

  test('a server that cuts its answers makes the source unavailable', async () => {
    server.misbehave((_, response, path) => {
      if (!isChunk(path)) return false;
      const bytes = readFileSync(path);
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      return true;
    });
    const error = await failure(sourceOf(`${server.url}/${remote}.zarr`).read(window()));
    expect(error.kind).toBe('unavailable');
  });

  test('a server that stalls on the metadata makes the source unavailable', async () => {
    server.misbehave(() => true);
    const error = await failure(sourceOf(`${server.url}/${remote}.zarr`).describe());
    expect(error.kind).toBe('unavailable');
  });

  test('access that is refused is not asked for again', async () => {
    server.requests.length = 0;
    server.misbehave((_, response) => {
      response.writeHead(403).end();
      return true;
    });
    const error = await failure(sourceOf(`${server.url}/${remote}.zarr`).describe());
    expect(error).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('it answers 403') });
    expect(server.requests).toEqual([...new Set(server.requests)]);
  });

  test('a bucket that answers "forbidden" for what it does not hold is read', async () => {
    server.misbehave((_, response, path) => {
      if (existsSync(path)) return false;
      response.writeHead(403).end();
      return true;
    });
    const field = await sourceOf(`${server.url}/${remote}.zarr`).read(window());
    expect(differences(field, readWritten(directory, remote))).toEqual([]);
  });

  test('a chunk that may not be read is not taken for one that is not there', async () => {
    server.misbehave((_, response, path) => {
      if (!isChunk(path)) return false;
      response.writeHead(403).end();
      return true;
    });
    const error = await failure(sourceOf(`${server.url}/${remote}.zarr`).read(window()));
    expect(error).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('403') });
  });

  test('a chunk replaced on the server while it is read in pieces is refused', async () => {
    let asked = 0;
    server.misbehave((_, response, path) => {
      if (!/temperature\/0\.0\.0\.0$/.test(path)) return false;
      // Each thread reads its own pieces, and compares those.
      response.setHeader('etag', `"${asked++}"`);
      return false;
    });
    const source = sourceOf(`${server.url}/large.zarr`, { pieceBytes: 2 ** 16 });
    const error = await failure(source.read(wholeWindow(readWritten(directory, 'large'))));
    expect(error).toMatchObject({
      kind: 'changed',
      message: expect.stringMatching(/replaced.*try again/),
    });
  });

  test('a server that knows no ranges is read all the same', async () => {
    const expected = readWritten(directory, 'blocks-zstd');
    server.misbehave((request) => {
      delete request.headers.range;
      return false;
    });
    const source = sourceOf(`${server.url}/blocks-zstd.zarr`, { pieceBytes: 500 });
    const field = await source.read(wholeWindow(expected));
    expect(differences(field, expected).slice(0, 5)).toEqual([]);
  });

  test('a variable in a wrong unit is refused and does not hide the others', async () => {
    cpSync(join(directory, 'v3-plain.zarr'), join(directory, 'celsius.zarr'), { recursive: true });
    const metadata = join(directory, 'celsius.zarr/temperature/zarr.json');
    writeFileSync(metadata, readFileSync(metadata, 'utf8').replace('"K"', '"degC"'));
    const source = sourceOf('celsius.zarr');
    expect((await source.describe()).variables).not.toContain('air_temperature');
    const error = await failure(source.read(wholeWindow(readWritten(directory, 'v3-plain'))));
    expect(error).toMatchObject({ kind: 'unreadable', message: expect.stringContaining('"degC"') });
  });

  test('a missing hour is named', async () => {
    const expected = readWritten(directory, 'gap');
    expect(await failure(sourceOf('gap.zarr').read(wholeWindow(expected)))).toMatchObject({
      kind: 'missing-time',
      message: expect.stringMatching(/T02:00.*T04:00/),
    });
  });

  test('reading ends when it is given up', async () => {
    const giveUp = new AbortController();
    server.misbehave((_, __, path) => {
      if (isChunk(path)) giveUp.abort(new Error('enough'));
      return isChunk(path);
    });
    const reading = sourceOf(`${server.url}/${remote}.zarr`, { http: { stallMs: 60_000 } }).read(window(), {
      signal: giveUp.signal,
    });
    await expect(reading).rejects.toThrow('enough');
  });

  test.each([
    ['v2-gzip', 'temperature/0.0.0.0'],
    ['v2-zstd', 'temperature/0.0.0.0'],
    ['v2-blosc-zstd', 'temperature/0.0.0.0'],
    ['v2-lz4', 'temperature/0.0.0.0'],
    ['v2-plain-big-endian', 'temperature/0.0.0.0'],
    ['v3-plain', 'temperature/c/0/0/0/0'],
    ['v3-sharded', 'temperature/c/0/0/0/0'],
    ['blocks-zstd', 'temperature/0.0.0.0'],
    ['blocks-copied', 'temperature/0.0.0.0'],
  ])('a chunk of %s that is cut off is refused, in pieces too', async (name, chunk) => {
    const copy = `cut-${name}.zarr`;
    cpSync(join(directory, `${name}.zarr`), join(directory, copy), { recursive: true });
    const path = join(directory, copy, chunk);
    truncateSync(path, Math.floor(statSync(path).size / 2));
    for (const pieceBytes of [2 ** 20, 500]) {
      const source = sourceOf(copy, { pieceBytes });
      const error = await failure(source.read(wholeWindow(readWritten(directory, name))));
      expect(error).toMatchObject({ kind: 'unreadable', message: expect.stringContaining('temperature') });
    }
  });

  test('a damaged index of a shard is refused', async () => {
    cpSync(join(directory, 'v3-sharded.zarr'), join(directory, 'index.zarr'), { recursive: true });
    const path = join(directory, 'index.zarr/temperature/c/0/0/0/0');
    const bytes = readFileSync(path);
    bytes[bytes.length - 20] = 1 + (bytes.at(-20) ?? 0);
    writeFileSync(path, bytes);
    const error = await failure(
      sourceOf('index.zarr').read(wholeWindow(readWritten(directory, 'v3-sharded'))),
    );
    expect(error).toMatchObject({ kind: 'unreadable', message: expect.stringContaining('checksum') });
  });

  test.each([
    ['nothing.zarr', {}, /there is no Zarr store at .*nothing\.zarr/],
    ['broken.zarr', { 'zarr.json': '{"zarr_format": 3, ' }, /zarr\.json is not a JSON document/],
    [
      'broken.zarr',
      { 'zarr.json': Buffer.from('{"zarr_format": 3, "\xff": 1}', 'latin1') },
      /zarr\.json is not a JSON document/,
    ],
  ])('%s is refused', async (name, files, message) => {
    cpSync(join(directory, 'v3-zstd.zarr'), join(directory, 'broken.zarr'), { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, name, file), text);
    const error = await failure(sourceOf(name).describe());
    expect(error).toMatchObject({ kind: 'unreadable', message: expect.stringMatching(message) });
  });

  test.each([
    ['dimension names that are none', { dimension_names: 5 }],
    ['a shape in words', { shape: 'large' }],
    ['chunks without a shape', { chunk_grid: { name: 'regular', configuration: null } }],
    ['codecs without names', { codecs: [{}, {}] }],
    ['a shape of more than there can be', { shape: [1e15] }],
  ])('metadata with %s are refused, and the reason names the store', async (_, changes) => {
    for (const array of ['temperature', 'latitude']) {
      cpSync(join(directory, 'v3-zstd.zarr'), join(directory, 'changed.zarr'), { recursive: true });
      const group = JSON.parse(readFileSync(join(directory, 'changed.zarr/zarr.json'), 'utf8'));
      delete group.consolidated_metadata;
      writeFileSync(join(directory, 'changed.zarr/zarr.json'), JSON.stringify(group));
      const path = join(directory, `changed.zarr/${array}/zarr.json`);
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...changes }));
      const error = await failure(
        sourceOf('changed.zarr').read(wholeWindow(readWritten(directory, 'v3-zstd'))),
      );
      expect(error.message).toMatch(/changed\.zarr|there is no air_temperature/);
    }
  });

  test('a lost chunk of an axis is refused', async () => {
    cpSync(join(directory, 'v3-plain.zarr'), join(directory, 'lost.zarr'), { recursive: true });
    rmSync(join(directory, 'lost.zarr/latitude/c/0'));
    const error = await failure(sourceOf('lost.zarr').describe());
    expect(error).toMatchObject({ kind: 'unreadable', message: expect.stringContaining('latitude') });
  });

  test('a store that grew is another generation', async () => {
    cpSync(join(directory, 'v3-missing.zarr'), join(directory, 'growing.zarr'), { recursive: true });
    const source = sourceOf('growing.zarr', { refreshMs: 0 });
    const before = await source.describe();
    const again = await source.describe();
    const metadata = join(directory, 'growing.zarr/zarr.json');
    const document = JSON.parse(readFileSync(metadata, 'utf8'));
    writeFileSync(metadata, JSON.stringify({ ...document, attributes: { last_updated: '2024-01-01' } }));
    const after = await source.describe();
    expect(again.generation).toBe(before.generation);
    expect(after.generation).not.toBe(before.generation);
  });

  test('a copy of a store is the same weather on every machine', async () => {
    cpSync(join(directory, 'v3-missing.zarr'), join(directory, 'copies/store.zarr'), { recursive: true });
    const original = await sourceOf('v3-missing.zarr').describe();
    const copy = await sourceOf('copies/store.zarr').describe();
    const filesOf = ({ runs }: typeof copy) => runs.map(({ files }) => files);
    expect(copy.generation).not.toBe(original.generation);
    expect(filesOf(copy)).toEqual(filesOf(original));
  });

  test('axes of a server are fetched again only when its metadata changed', async () => {
    cpSync(join(directory, 'v3-missing.zarr'), join(directory, 'served.zarr'), { recursive: true });
    const source = sourceOf(`${server.url}/served.zarr`, { refreshMs: 0 });
    const axes = () => server.requests.filter((path) => /\/served\.zarr\/time\/c/.test(path)).length;
    server.requests.length = 0;
    const before = await source.describe();
    const again = await source.describe();
    expect([axes(), again.generation]).toEqual([1, before.generation]);
    const metadata = join(directory, 'served.zarr/zarr.json');
    const document = JSON.parse(readFileSync(metadata, 'utf8'));
    writeFileSync(metadata, JSON.stringify({ ...document, attributes: { last_updated: '2024-01-01' } }));
    await source.describe();
    expect(axes()).toBe(2);
  });

  test('a missing variable and a time outside are named', async () => {
    const asked: MetWindow = window();
    const source = sourceOf(`${remote}.zarr`);
    expect(await failure(source.read({ ...asked, variables: ['geopotential'] }))).toMatchObject({
      kind: 'missing-variable',
    });
    expect(await failure(source.read({ ...asked, time: [0, hour] }))).toMatchObject({ kind: 'outside' });
  });
});
