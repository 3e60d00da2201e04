import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { readTools } from '../../../../../test/support/tools.ts';
import { weightedSumModel } from '../../../../observations/test/support/onnx-model.ts';
import { findFrame } from '../../../src/families/observations/frames/table.ts';
import { abiName, writeImage } from './support/imagery.ts';
import { openTrial, type Trial } from './support/trial.ts';

const START_MS = Date.UTC(2024, 2, 7, 15);
const STEP_MS = 600_000;
const { onnx: runtime, missing } = readTools();
const because = runtime === null ? ` (skipped: ${missing.onnx})` : '';

let folder: string;
let trial: Trial;

beforeAll(async () => {
  folder = await temporaryDirectory();
  const model = await temporaryDirectory();
  await mkdir(model, { recursive: true });
  const manifest = {
    ...{ input: 'image', output: 'prob', layout: 'NCHW', activation: 'none', tile: 64, overlap: 8 },
    ...{ frames: 2, frame_step_s: 600, target_frame: 1, calibration: { a: 1, b: 0 } },
    channels: [{ expr: 'T11', min: 200, max: 300 }],
    ...{ name: 'two-frames', version: '1', licence: 'none' },
  };
  await writeFile(join(model, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(join(model, 'model.onnx'), weightedSumModel([0.5, 0], 0, 64, 2));
  if (runtime !== null) await symlink(runtime, join(model, 'node_modules'));
  trial = await openTrial({
    observations: {
      sources: [{ name: 'dish', kind: 'folder', satellite: 'goes-east', path: folder }],
      paths: [{ path: 'noaa/goes-east', satellite: 'goes-east' }],
      ...{ detector: 'onnx', model },
    },
  });
});
afterAll(() => trial.close());

test.skipIf(runtime === null)(
  `a model that looks at earlier frames gets them, and ridge takes over where there are none${because}`,
  async () => {
    for (const timeMs of [START_MS, START_MS + STEP_MS])
      await writeImage(join(folder, abiName(timeMs)), { timeMs });
    // Files count as finished when they have not been written to for a while.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    await trial.look().finally(() => vi.useRealTimers());
    await trial.work();
    const [first, second] = await Promise.all(
      [START_MS, START_MS + STEP_MS].map((timeMs) => findFrame(trial.services.database, 'goes-east', timeMs)),
    );
    expect(first?.manifest?.fallback).toContain('needs the frame of 2024-03-07T14:50:00.000Z');
    expect(first?.manifest?.detector.name).toBe('ridge');
    expect(second?.manifest).toMatchObject({ fallback: null, detector: { name: 'two-frames' } });
  },
);
