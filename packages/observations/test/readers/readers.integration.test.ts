import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { times } from '../../../../test/support/effort.ts';
import { FrameError, scanOffsetsOf } from '../../src/frame/index.ts';
import { fullDisk, toLonLat, viewZenithDeg, windowOf } from '../../src/navigation/index.ts';
import { readFrame } from '../../src/readers/index.ts';
import {
  type ImageryFile,
  largestDifference,
  pythonBecause,
  withoutPython,
  writeImagery,
} from '../support/imagery.ts';

const folder = mkdtempSync(join(tmpdir(), 'contrails-imagery-'));
afterAll(() => rmSync(folder, { recursive: true }));

let written = 0;
const at = (name: string) => join(folder, `${written++}-${name}`);
const START = '2024-03-07T15:00:20';
const TIME = Date.UTC(2024, 2, 7, 15);
const now = TIME + 3_600_000;

const abi = (deviation: Partial<ImageryFile> = {}): ImageryFile => ({
  kind: 'abi',
  path: at('abi.nc'),
  start: START,
  product: 'MCMIP',
  bands: ['T8', 'T11', 'T12'],
  ...deviation,
});

const ahi = (deviation: (segment: number) => Partial<ImageryFile> = () => ({})): ImageryFile[] =>
  (['T11', 'T12'] as const).flatMap((band) =>
    Array.from({ length: 10 }, (_, i) => ({
      kind: 'ahi',
      path: at('ahi.DAT.bz2'),
      start: `2024-03-07T15:0${Math.floor(i * 0.95)}:20`,
      timeline: '1500',
      bands: [band],
      segment: i + 1,
      ...deviation(i + 1),
    })),
  );

const fci = (deviation: (chunk: number) => Partial<ImageryFile> = () => ({})): ImageryFile[] =>
  Array.from({ length: 4 }, (_, i) => ({
    kind: 'fci',
    path: at('fci.nc'),
    start: `2024-03-07T15:0${2 * i}:07`,
    bands: ['T8', 'T11', 'T12'],
    chunk: i + 1,
    ...deviation(i + 1),
  }));

function read(files: readonly ImageryFile[], settings = {}) {
  const found = writeImagery(files);
  const frame = readFrame(
    files.map(({ path }) => path),
    { now, ...settings },
  );
  return { frame, found };
}

function reasonOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof FrameError) return error.reason;
    throw error;
  }
  return 'none';
}

describe.skipIf(withoutPython)(`imagery of other writers${pythonBecause}`, () => {
  test('reads ABI in one file of all bands', () => {
    const { frame, found } = read([abi()]);
    expect(largestDifference(frame, found)).toBeLessThan(1e-4);
    expect(frame).toMatchObject({ satellite: 'goes-east', instrument: 'ABI', time: TIME });
    const expected = windowOf(fullDisk('goes-east'), 1500, 2400, 64, 60);
    expect(Math.abs(frame.grid.x0 - expected.x0)).toBeLessThan(1e-12);
    expect(Math.abs(frame.grid.y0 - expected.y0)).toBeLessThan(1e-12);
    expect(frame.grid.dx).toBe(5.6e-5);
  });

  test('reads ABI in one file for each band, of temperatures and of radiances', () => {
    for (const product of ['CMIP', 'Rad']) {
      const files = (['T8', 'T11', 'T12'] as const).map((band) => abi({ bands: [band], product }));
      const { frame, found } = read(files);
      expect(largestDifference(frame, found)).toBeLessThan(1e-3);
    }
  });

  test('a part that was cut out of a full disk has the times of its rows', () => {
    const { frame } = read([abi({ scene: 'Full Disk (window)' })]);
    expect(scanOffsetsOf(frame)[0]).toBeCloseTo((570 * 1500) / 5424, 3);
  });

  test('the frame does without the 8.5 µm band', () => {
    const { frame } = read([abi({ bands: ['T11', 'T12'] })]);
    expect(frame.t8).toBeUndefined();
  });

  test('another satellite in the layout of ABI keeps its own projection', () => {
    const step = ((2 ** 16 / 20_466_275) * Math.PI) / 180;
    const { frame } = read([
      abi({
        platform: 'himawari',
        longitude: 140.7,
        height: 35_785_863,
        semi_minor: 6_356_752.3,
        sweep: 'y',
        step,
        size: 5500,
      }),
    ]);
    expect(frame).toMatchObject({ satellite: 'himawari', instrument: 'AHI', grid: { sweep: 'y' } });
  });

  test('reads AHI in ten segments of each band', () => {
    const { frame, found } = read(ahi());
    expect(largestDifference(frame, found)).toBeLessThan(1e-3);
    expect(frame).toMatchObject({ satellite: 'himawari', instrument: 'AHI', time: TIME });
    const disk = fullDisk('himawari');
    expect(frame.grid).toMatchObject({
      height: disk.height,
      semiMajor: disk.semiMajor,
      semiMinor: disk.semiMinor,
      dx: disk.dx,
    });
    expect(frame.grid.y0).toBeCloseTo((disk.dx * 119) / 2, 12);
  });

  test('reads AHI without compression', () => {
    const files = ahi().map((file) => ({ ...file, path: at('ahi.DAT') }));
    const { frame, found } = read(files);
    expect(largestDifference(frame, found)).toBeLessThan(1e-3);
  });

  test('reads FCI in chunks, north up and west left', () => {
    const { frame, found } = read(fci());
    expect(largestDifference(frame, found)).toBeLessThan(2e-3);
    const disk = fullDisk('mtg-0');
    expect(frame).toMatchObject({ satellite: 'mtg-0', instrument: 'FCI', time: TIME });
    expect(frame.grid.semiMinor).toBeCloseTo(disk.semiMinor, 6);
    expect(frame.grid.x0).toBeCloseTo(-(disk.dx * 79) / 2, 12);
    expect(frame.grid.y0).toBeCloseTo((disk.dx * 79) / 2, 12);
  });

  let plainTwin: ReturnType<typeof readFrame> | undefined;
  test.each<[string, object]>([
    ['of one chunk', {}],
    ['of many chunks', { chunk: [7, 33] }],
    ['of a chunk that was not compressed', { chunk: [7, 33], plain: 2 }],
    ['with old headers', { chunk: [7, 33], libver: 'earliest' }],
    ['of one chunk, with new headers', { libver: 'v110' }],
    ['of many chunks, with new headers', { chunk: [7, 33], libver: 'v110' }],
    ['of many chunks, with the newest headers', { chunk: [7, 33], libver: 'latest' }],
    ['of a thousand chunks, with new headers', { chunk: [4, 4], libver: 'v110', plain: 1 }],
  ])('FCI images %s in JPEG-LS have the bits of their plain twins', (_, layout) => {
    plainTwin ??= read(fci(() => ({ size: 320 }))).frame;
    const { frame } = read(fci(() => ({ size: 320, jpeg_ls: layout })));
    expect(frame).toEqual({ ...plainTwin, inputFiles: frame.inputFiles });
  });

  test('FCI of some chunks has no values elsewhere, where that is wanted', () => {
    const files = fci();
    const { frame: whole } = read(files);
    const some = readFrame(
      files.slice(1, 3).map(({ path }) => path),
      { now, isPartial: true },
    );
    const band = whole.rows / 4;
    const rowsOf = (first: number, count: number) =>
      [first * whole.columns, (first + count) * whole.columns] as const;
    expect(some.t11.slice(...rowsOf(band, 2 * band))).toEqual(whole.t11.slice(...rowsOf(band, 2 * band)));
    for (const first of [0, 3 * band])
      expect(some.t11.slice(...rowsOf(first, band)).every(Number.isNaN)).toBe(true);
  });

  test('FCI rows have the times that their pixels refer to', () => {
    const { frame } = read(fci());
    const offsets = scanOffsetsOf(frame);
    expect(offsets.length).toBe(80);
    expect([offsets[79], offsets[0]]).toEqual([5, 5 + 11 * 40]);
  });

  test('FCI pixels have their own times where those of a row differ', () => {
    const { frame } = read(fci(() => ({ scans_per_row: 2 })));
    const offsets = scanOffsetsOf(frame);
    expect(offsets.length).toBe(6400);
    expect([offsets[79 * 80], offsets[79 * 80 + 79]]).toEqual([5, 45]);
  });

  test('pixels beyond the limit of the view have no value', () => {
    const grid = windowOf(fullDisk('goes-east'), 400, 2680, 64, 60);
    const zenithOf = (row: number, column: number) =>
      viewZenithDeg(grid, ...toLonLat(grid, grid.x0 + column * grid.dx, grid.y0 + row * grid.dy));
    const maxViewZenithDeg = zenithOf(32, 30) + 1e-4;
    const { frame } = read([abi({ first_row: 400, first_column: 2680 })], { maxViewZenithDeg });
    for (let row = 8; row < 64; row++) {
      expect([row, Number.isNaN(frame.t11[row * 60 + 30])]).toEqual([row, row < 32]);
    }
  });
});

describe.skipIf(withoutPython)(`imagery that cannot be used${pythonBecause}`, () => {
  const cases: [what: string, reason: string, files: ImageryFile[]][] = [
    [
      'bands of different times',
      'mixed-times',
      [
        abi({ product: 'CMIP', bands: ['T11'] }),
        abi({ product: 'CMIP', bands: ['T12'], start: '2024-03-07T15:10:20' }),
      ],
    ],
    [
      'bands of different satellites',
      'mixed-satellites',
      [abi({ product: 'CMIP', bands: ['T11'] }), abi({ product: 'CMIP', bands: ['T12'], platform: 'G19' })],
    ],
    [
      'bands of different grids',
      'mixed-grids',
      [abi({ product: 'CMIP', bands: ['T11'] }), abi({ product: 'CMIP', bands: ['T12'], first_row: 1501 })],
    ],
    ['one window channel only', 'missing-band', [abi({ bands: ['T11'] })]],
    ['the same band twice', 'duplicate-band', [abi(), abi({ product: 'CMIP', bands: ['T12'] })]],
    ['another projection', 'wrong-projection', [abi({ mapping: 'mercator' })]],
    ['an impossible height', 'wrong-projection', [abi({ height: 705_000 })]],
    ['the sweep axis of another imager', 'wrong-projection', [abi({ sweep: 'y' })]],
    ['columns that are not regular', 'wrong-projection', [abi({ irregular: true })]],
    ['a satellite on its way', 'satellite-moved', [abi({ longitude: -89.5 })]],
    ['a satellite that was replaced', 'satellite-moved', [abi({ start: '2025-04-04T15:00:20' })]],
    ['fill values only', 'no-valid-pixels', [abi({ all_fill: true })]],
    ['ABI of CONUS', 'wrong-sector', [abi({ start: '2024-03-07T15:01:17', seconds: 157, scene: 'CONUS' })]],
    [
      'ABI of CONUS that does not say so',
      'wrong-sector',
      [abi({ start: '2024-03-07T15:06:17', seconds: 157 })],
    ],
    ['ABI of CONUS by its name', 'wrong-sector', [abi({ path: join(folder, 'OR_ABI-L2-MCMIPC-M6_G16.nc') })]],
    [
      'ABI of a mesoscale sector',
      'wrong-sector',
      [abi({ start: '2024-03-07T15:00:28', seconds: 26, scene: 'Mesoscale' })],
    ],
    ['a full disk that began between the marks', 'wrong-sector', [abi({ start: '2024-03-07T15:15:36' })]],
    ['a full disk of five minutes', 'wrong-sector', [abi({ seconds: 294, scene: 'Full Disk' })]],
    ['AHI of a target area', 'wrong-sector', ahi(() => ({ area: 'R301' }))],
    [
      'FCI of a quarter',
      'wrong-sector',
      fci((chunk) => ({
        path: join(folder, `W_XX,IMG+SAT,MTI1+FCI-1C-RRAD-FDHSI-Q4--CHK-BODY-${chunk}.nc`),
      })),
    ],
    ['a frame from the future', 'from-the-future', [abi({ start: '2031-01-01T00:00:20' })]],
    [
      'AHI segments of two frames',
      'mixed-times',
      ahi((segment) => (segment === 4 ? { timeline: '1510', start: '2024-03-07T15:13:20' } : {})),
    ],
    ['an AHI segment that is missing', 'missing-segment', ahi().slice(1)],
    ['an AHI segment twice', 'duplicate-band', ahi((segment) => (segment === 2 ? { segment: 1 } : {}))],
    ['AHI from another longitude', 'satellite-moved', ahi(() => ({ longitude: 145 }))],
    ['AHI fill values only', 'no-valid-pixels', ahi(() => ({ all_fill: true }))],
    ['AHI from the future', 'from-the-future', ahi(() => ({ start: '2031-01-01T15:00:20' }))],
    [
      'FCI chunks of two cycles',
      'mixed-times',
      fci((chunk) => (chunk === 3 ? { start: '2024-03-07T15:14:07' } : {})),
    ],
    ['an FCI chunk that is missing', 'missing-segment', fci().slice(0, 3)],
    ['an FCI chunk twice', 'duplicate-band', fci((chunk) => (chunk === 2 ? { chunk: 1 } : {}))],
    ['FCI from another longitude', 'satellite-moved', fci(() => ({ longitude: 9.5 }))],
    ['FCI fill values only', 'no-valid-pixels', fci(() => ({ all_fill: true }))],
    ['formats that do not mix', 'mixed-satellites', [abi(), ...ahi().slice(0, 1)]],
  ];
  // At once: Python takes longer to start than to write.
  beforeAll(() => void writeImagery(cases.flatMap(([, , files]) => files)));

  test.each(cases)('%s: %s', (_, reason, files) => {
    const paths = files.map(({ path }) => path);
    expect(reasonOf(() => readFrame(paths, { now: Date.UTC(2026, 0, 1) }))).toBe(reason);
  });

  test('refuses FCI with an image of JPEG-LS that is cut, with the remedy', () => {
    const files = fci((chunk) => (chunk === 2 ? { jpeg_ls: { damage: 100 } } : {}));
    writeImagery(files);
    const read = () =>
      readFrame(
        files.map(({ path }) => path),
        { now },
      );
    expect(reasonOf(read)).toBe('unreadable');
    expect(read).toThrow(
      /effective_radiance of .* cannot be decoded from JPEG-LS: .* is cut off.*; fetch it again, or repack/,
    );
  });

  test.each<[string, () => ImageryFile[]]>([
    ['ABI', () => [abi()]],
    ['AHI', () => ahi((segment) => (segment === 1 ? {} : { path: at('plain.DAT') }))],
    ['FCI', fci],
    ['FCI with JPEG-LS', () => fci(() => ({ jpeg_ls: { chunk: [7, 33] } }))],
  ])('a file of %s that is cut at any byte is unreadable', (_, make) => {
    const files = make();
    writeImagery(files);
    const paths = files.map(({ path }) => path);
    for (const [index, path] of [paths[0], paths[1]].entries()) {
      if (path === undefined) continue;
      const bytes = readFileSync(path);
      const cut = at('cut.nc');
      for (
        let length = 0;
        length < bytes.length;
        length += Math.max(1, Math.floor(bytes.length / times(10)))
      ) {
        writeFileSync(cut, bytes.subarray(0, length));
        const reason = reasonOf(() => readFrame(paths.with(index, cut), { now }));
        expect([length, reason]).toEqual([length, 'unreadable']);
      }
    }
  });

  test.each<[string, () => ImageryFile[]]>([
    ['ABI', () => [abi()]],
    ['AHI', () => ahi().map((file) => ({ ...file, path: at('plain.DAT') }))],
    ['AHI with bzip2', ahi],
    ['FCI', fci],
    ['FCI with JPEG-LS', () => fci(() => ({ jpeg_ls: { chunk: [7, 33] } }))],
  ])('damaged bytes of %s give a frame or a FrameError, nothing else', (_, make) => {
    const files = make();
    writeImagery(files);
    const paths = files.map(({ path }) => path);
    const bytes = readFileSync(paths[0] as string);
    const damaged = at('damaged.nc');
    const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(damage, (changes) => {
        const copy = Buffer.from(bytes);
        for (const [position, byte] of changes) copy[position] = byte;
        writeFileSync(damaged, copy);
        // Any other error is thrown on.
        expect(reasonOf(() => readFrame(paths.with(0, damaged), { now }))).toMatch(/^[a-z-]+$/);
      }),
      { numRuns: times(8) },
    );
  });
});
