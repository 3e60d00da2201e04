import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeL1, type L1Origin } from '@contrails/observations/l1';
import { encodeImagery, makeScene } from '@contrails/observations/synthetic';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contrails } from './support/contrails.ts';

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
