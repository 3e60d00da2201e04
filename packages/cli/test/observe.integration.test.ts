import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeL1, type L1Origin } from '@contrails/observations/l1';
import { encodeImagery, makeScene, sceneFiles } from '@contrails/testbed/sky';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTools } from '../../../test/support/tools.ts';
import { weightedSumModel } from '../../observations/test/support/onnx-model.ts';
import { contrails } from './support/contrails.ts';

const { onnx, missing } = readTools();

const cwd = mkdtempSync(join(tmpdir(), 'contrails observe '));
afterAll(() => rmSync(cwd, { recursive: true }));
const SIZE = 64;
const scene = makeScene({
  seed: 3,
  satellite: 'goes-east',
  clutter: 0.6,
  startMs: Date.UTC(2024, 2, 7, 15),
  firstRow: 1000,
  firstColumn: 2500,
  size: SIZE,
});
const ORIGIN: L1Origin = {
  instrument: 'ABI',
  detector: 'ridge 1.0',
  detectorWeights: '',
  inputFiles: [],
  maxViewZenithDeg: 70,
  licence: 'CC-BY-4.0',
  createdMs: 0,
  history: '',
};

beforeAll(async () => {
  const { frame } = scene.frame(0);
  const stored = new Uint8Array(SIZE * SIZE).fill(200, 20 * SIZE, 21 * SIZE);
  const l1 = { satellite: frame.satellite, grid: frame.grid, stored };
  writeFileSync(join(cwd, 'frame.nc'), await encodeImagery(frame));
  writeFileSync(join(cwd, 'l1.nc'), Buffer.concat(await encodeL1({ ...l1, time: frame.time }, ORIGIN)));
  writeFileSync(
    join(cwd, 'later.nc'),
    Buffer.concat(await encodeL1({ ...l1, time: frame.time + 600_000 }, ORIGIN)),
  );
});

const REFERENCE = fileURLToPath(new URL('../../../../shared/reference/observations/', import.meta.url));
const isPresent = existsSync(REFERENCE);
/** Ends the names of tests that are skipped without the reference cases. */
const because = isPresent ? '' : ' (skipped: ../shared/reference/observations is not here)';
const golden = (scene: string, name: string) => join(REFERENCE, scene, name);
const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const observe = (...args: readonly string[]) => contrails(['observe', ...args], { cwd });

interface GoldenSegment {
  readonly id: string;
  readonly wkt: string;
}

/** Share of the expected segments whose ends are found within a distance [m]. */
function shareFound(expected: readonly GoldenSegment[], found: readonly GoldenSegment[], metres: number) {
  const ends = ({ wkt }: GoldenSegment) => (wkt.match(/-?\d+/g) ?? []).map(Number);
  const isSame = (a: readonly number[], b: readonly number[]) =>
    a.every((value, k) => Math.abs(value - (b[k] ?? Number.NaN)) <= metres);
  const all = found.map(ends);
  return expected.filter((one) => all.some((other) => isSame(ends(one), other))).length / expected.length;
}

describe('observe detect and segments', () => {
  test.skipIf(!isPresent)(`reproduce the expected segments of an image${because}`, async () => {
    const detected = await observe('detect', golden('scene-b', 'frame_00.nc'), '-o', 'golden.nc');
    expect(detected).toMatchObject({ code: 0, stdout: '' });
    expect(detected.stderr).toMatch(/^goes-east 2024-03-07T15:00Z: \d+ of 262144 pixels/);
    const { code, stdout } = await observe('segments', 'golden.nc', '--json');
    expect(code).toBe(0);
    const found = JSON.parse(stdout) as GoldenSegment[];
    const expected = readJson<GoldenSegment[]>(golden('scene-b', 'expected/l2_00.json'));
    // Three pixels of 2004 m.
    expect(shareFound(expected, found, 6012)).toBeGreaterThanOrEqual(0.9);
    const shown = await observe('segments', 'golden.nc');
    expect(shown.stdout.trimEnd().split('\n')).toHaveLength(found.length + 1);
  });

  test('a frame without contrails gives an empty list, and the classical algorithm another product', async () => {
    writeFileSync(join(cwd, 'weights.json'), '{"pixel": [-9, 0, 0], "object": [-9, 0, 0, 0, 0, 0]}');
    const blind = ['detect', 'frame.nc', '--weights', 'weights.json', '-o', 'blind.nc'];
    expect((await observe(...blind)).code).toBe(0);
    expect(JSON.parse((await observe('segments', 'blind.nc', '--json')).stdout)).toEqual([]);
    expect((await observe('detect', 'frame.nc', '--detector', 'cda', '-o', 'cda.nc')).code).toBe(0);
    expect(readFileSync(join(cwd, 'cda.nc')).equals(readFileSync(join(cwd, 'blind.nc')))).toBe(false);
  });

  test.skipIf(onnx === null)(
    `detect gives a model the earlier frames that it looks at${onnx === null ? ` (skipped: ${missing.onnx})` : ''}`,
    async () => {
      const model = join(cwd, 'model');
      mkdirSync(model);
      const manifest = {
        ...{ input: 'image', output: 'prob', layout: 'NCHW', activation: 'none', tile: 64, overlap: 8 },
        ...{ frames: 2, frame_step_s: 600, target_frame: 1, calibration: { a: 1, b: 0 } },
        channels: [{ expr: 'T11', min: 200, max: 300 }],
        ...{ name: 'two-frames', version: '1', licence: 'none' },
      };
      writeFileSync(join(model, 'manifest.json'), JSON.stringify(manifest));
      writeFileSync(join(model, 'model.onnx'), weightedSumModel([0.5, 0], 0, 64, 2));
      if (onnx !== null) symlinkSync(onnx, join(model, 'node_modules'));
      writeFileSync(join(cwd, 'next.nc'), await encodeImagery(scene.frame(1).frame));
      const line = ['detect', 'next.nc', '--model', 'model', '-o', 'temporal.nc'] as const;
      const alone = await observe(...line);
      expect(alone.code).toBe(2);
      expect(alone.stderr).toContain('two-frames needs the frame of');
      const { code, stderr } = await observe(...line, '--earlier', 'frame.nc');
      expect(stderr).toContain('pixels with a confidence');
      expect(code).toBe(0);
    },
  );

  test.each([
    ['a file that is not there', ['detect', 'no.nc', '-o', 'x.nc'], 1, /no\.nc cannot be read: ENOENT/],
    ['a file that is cut', ['detect', 'cut.nc', '-o', 'x.nc'], 1, /cut\.nc/],
    ['a product as imagery', ['detect', 'l1.nc', '-o', 'x.nc'], 1, /l1\.nc/],
    ['imagery as a product', ['segments', 'frame.nc'], 1, /frame\.nc has no/],
    ['weights that are none', ['detect', 'frame.nc', '--weights', 'l1.nc', '-o', 'x.nc'], 2, /is not JSON/],
    [
      'a model for another detector',
      ['detect', 'frame.nc', '--detector', 'cda', '--model', 'm', '-o', 'x.nc'],
      2,
      /--model belongs to the detector onnx/,
    ],
    ['a model that is not there', ['detect', 'frame.nc', '--model', 'no-model', '-o', 'x.nc'], 1, /no-model/],
  ])('refuse %s in one sentence and write nothing', async (_, args, code, message) => {
    writeFileSync(join(cwd, 'cut.nc'), readFileSync(join(cwd, 'frame.nc')).subarray(0, 20_000));
    const ended = await observe(...args);
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(ended.code).toBe(code);
    expect(existsSync(join(cwd, 'x.nc'))).toBe(false);
  });
});

describe('observe attribute and score', () => {
  const l2 = (scene: string, frames: number) =>
    Array.from({ length: frames }, (_, k) => golden(scene, `expected/l2_0${k}.json`));
  interface Chunk {
    readonly flight: string;
    readonly start: string;
    readonly detections: readonly string[];
  }
  interface Answer {
    readonly flight: string;
    readonly status: string;
    readonly attributions: readonly { readonly start_time: string; readonly end_time: string }[];
    readonly observations: readonly { readonly detections: readonly { readonly id: string }[] }[];
  }

  test.skipIf(!isPresent)(
    `attribute the expected chunks of flights, with the published scores${because}`,
    async () => {
      const args = ['--flights', golden('scene-a', 'flights.json'), '--met', golden('scene-a', 'met.nc')];
      const { code, stdout } = await observe(
        'attribute',
        '--segments',
        ...l2('scene-a', 3),
        ...args,
        '--json',
      );
      expect(code).toBe(0);
      writeFileSync(join(cwd, 'l4.json'), stdout);
      const answers = JSON.parse(stdout) as Answer[];
      const flights = readJson<{ flight: string }[]>(golden('scene-a', 'flights.json'));
      expect(answers.map(({ flight }) => flight)).toEqual(flights.map(({ flight }) => flight));
      const chunks = readJson<Chunk[]>(golden('scene-a', 'expected/l4.json'));
      const right = chunks.filter(({ flight, start, detections }) => {
        const answer = answers.find((one) => one.flight === flight);
        const ids = answer?.observations.flatMap((one) => one.detections.map(({ id }) => id)) ?? [];
        const isAttributed = answer?.attributions.some(
          ({ start_time, end_time }) => start_time <= start && start < end_time,
        );
        return isAttributed === true && detections.every((id) => ids.includes(id));
      });
      expect(right.length / chunks.length).toBeGreaterThan(0.98);

      const truth = golden('scene-a', 'truth_lines.json');
      const score = ['score', ...l2('scene-a', 3), truth, '--attributions', 'l4.json', '--json'];
      const scored = JSON.parse((await observe(...score)).stdout);
      const [published] = readJson<Record<string, number>[]>(join(REFERENCE, 'golden_scores.json'));
      expect(scored.segments.precision).toBeCloseTo(published?.instance_precision ?? Number.NaN, 3);
      // The published recall counts lines that no segment is matched to; 40 of 57 are.
      expect(scored.segments.recall).toBeCloseTo(40 / 57, 3);
      expect(scored.attributions).toMatchObject(published?.attribution_counts ?? {});
    },
  );

  test.skipIf(!isPresent)(`score the pixels of a product as published${because}`, async () => {
    await observe('detect', golden('scene-a', 'frame_00.nc'), '-o', 'a.nc');
    const { stdout } = await observe('score', 'a.nc', golden('scene-a', 'truth_mask.nc'), '--json');
    // The published figure is of three frames.
    expect(JSON.parse(stdout).pixels.auc_pr).toBeCloseTo(0.706, 1);
  });

  describe('with files of one scene', () => {
    beforeAll(async () => {
      for await (const { name, bytes } of sceneFiles(scene, 1)) {
        if (name !== 'frame_00.nc') writeFileSync(join(cwd, name), bytes);
      }
      const of = (satellite: string) => ({
        ...{ id: 'a', time: '2024-03-07T15:00:00Z', scan_time: '2024-03-07T15:02:00Z', satellite },
        ...{ crs: 'no', wkt: 'LINESTRING (0 0, 1 1)' },
      });
      writeFileSync(join(cwd, 'goes-east_L2_20240307T1500Z.json'), '[]');
      writeFileSync(join(cwd, 'empty.json'), '[]');
      writeFileSync(join(cwd, 'other-crs.json'), JSON.stringify([of('goes-east')]));
      writeFileSync(join(cwd, 'moon.json'), JSON.stringify([of('moon')]));
      writeFileSync(join(cwd, 'no-flight.json'), '[{"time": ["2024-03-07T15:00:00Z"]}]');
      writeFileSync(
        join(cwd, 'short-flight.json'),
        '[{"flight": "A", "time": ["2024-03-07T15:00:00Z", "x"], "longitude": [0], "latitude": [0, 0], "altitude_m": 11000}]',
      );
    });
    const EMPTY = 'goes-east_L2_20240307T1500Z.json';

    test('a frame without contrails says so of every flight', async () => {
      const args = ['--flights', 'flights.json', '--met', 'met.nc', '--json'];
      const { code, stdout, stderr } = await observe('attribute', '--segments', EMPTY, ...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const answers = JSON.parse(stdout) as Answer[];
      expect(answers).toHaveLength(120);
      expect(new Set(answers.map(({ status }) => status))).not.toContain('attributed');
      const scored = JSON.parse((await observe('score', EMPTY, 'truth_lines.json', '--json')).stdout);
      expect(scored).toMatchObject({ frames: 1, segments: { predicted: 0, precision: null } });
    });

    test.each([
      [
        'weather of another time',
        [EMPTY, '--flights', 'flights.json', '--met', 'l1.nc'],
        1,
        /l1\.nc|weather/,
      ],
      ['no weather', [EMPTY, '--flights', 'flights.json'], 2, /weather/],
      [
        'segments without a frame',
        ['empty.json', '--flights', 'flights.json'],
        2,
        /name it like goes-east_L2/,
      ],
      ['a frame twice', [EMPTY, EMPTY, '--flights', 'flights.json'], 2, /give it once/],
      ['another reference system', ['other-crs.json', '--flights', 'flights.json'], 2, /has the crs no/],
      ['an unknown satellite', ['moon.json', '--flights', 'flights.json'], 2, /moon is not known/],
      ['a flight without a name', [EMPTY, '--flights', 'no-flight.json'], 2, /flight is missing/],
      ['a time that is none', [EMPTY, '--flights', 'short-flight.json'], 2, /time\[1\] is "x"/],
      ['flights that are not there', [EMPTY, '--flights', 'no.json'], 2, /no\.json cannot be read/],
    ])('attribute refuses %s in one sentence', async (_, args, code, message) => {
      const ended = await observe('attribute', '--segments', ...args);
      expect(ended.stderr).toMatch(message);
      expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(ended.code).toBe(code);
    });

    test.each([
      ['the truth alone', ['truth_lines.json'], /is the only file/],
      ['another truth', [EMPTY, 'flights.json'], /is not a truth file/],
      ['a mask of another size', ['cda.nc', 'flights.json'], /flights\.json/],
      ['a frame that the mask does not have', ['l1.nc', 'truth_mask.nc', '--frame', '7'], /none at 7/],
    ])('score refuses %s in one sentence', async (_, args, message) => {
      const ended = await observe('score', ...args);
      expect(ended.stderr).toMatch(message);
      expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(ended.code).not.toBe(0);
    });
  });
});

test.each(['detect', 'segments', 'attribute', 'score', 'render', 'verify'])(
  'observe %s --help has an example',
  async (name) => {
    const { stdout, code } = await observe(name, '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples?:\\n {2}\\$ contrails observe ${name} `));
  },
);

function sizeOf(name: string): [width: number, height: number] {
  const png = readFileSync(join(cwd, name));
  expect(png.toString('latin1', 1, 4)).toBe('PNG');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe('observe render', () => {
  test('draws imagery, imagery with detections, and L1 products', async () => {
    for (const args of [['frame.nc'], ['frame.nc', '--l1', 'l1.nc'], ['l1.nc']]) {
      const ended = await contrails(['observe', 'render', ...args, '-o', 'out.png'], { cwd });
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(sizeOf('out.png')).toEqual([SIZE, SIZE]);
    }
  });

  test('segments change the picture', async () => {
    const { grid } = scene;
    const y = Math.round((grid.y0 + 30 * grid.dy) * grid.height);
    const wkt = `LINESTRING (${Math.round(grid.x0 * grid.height)} ${y}, ${Math.round((grid.x0 + 40 * grid.dx) * grid.height)} ${y})`;
    const render = async (time: string) => {
      writeFileSync(join(cwd, 'segments.json'), JSON.stringify([{ time, wkt }]));
      const args = ['observe', 'render', 'frame.nc', '--segments', 'segments.json', '-o', 'out.png'];
      expect((await contrails(args, { cwd })).code).toBe(0);
      return readFileSync(join(cwd, 'out.png'));
    };
    const [ofFrame, ofOtherFrame] = [
      await render('2024-03-07T15:00:00Z'),
      await render('2024-03-07T15:10:00Z'),
    ];
    expect(ofFrame.equals(ofOtherFrame)).toBe(false);
  });

  test.each([
    ['a product of another frame', ['frame.nc', '--l1', 'later.nc'], 2, /--l1 belongs to another frame/],
    ['segments that are none', ['frame.nc', '--segments', 'frame.nc'], 2, /cannot be read as JSON/],
    ['a file that is not there', ['no.nc'], 1, /no\.nc cannot be read: ENOENT/],
  ])('refuses %s in one sentence', async (_, args, code, message) => {
    const ended = await contrails(['observe', 'render', ...args, '-o', 'out.png'], { cwd });
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(ended.code).toBe(code);
  });
});
