import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTools } from '../../../../test/support/tools.ts';
import { type Detector, detectWithFallback } from '../../src/detect/index.ts';
import {
  type ModelManifest,
  onnxDetector,
  parseManifest,
  raisedCosine,
  tileStarts,
} from '../../src/detect/onnx.ts';
import { ridgeDetector } from '../../src/detect/ridge.ts';
import type { Frame } from '../../src/frame/index.ts';
import { fullDisk, windowOf } from '../../src/navigation/index.ts';
import { weightedSumModel } from '../support/onnx-model.ts';

const { onnx: runtime, missing } = readTools();
const hasRuntime = runtime !== null;
const because = hasRuntime ? '' : ` (skipped: ${missing.onnx})`;

const MANIFEST: ModelManifest = {
  ...{ input: 'image', output: 'prob', layout: 'NCHW', activation: 'sigmoid', tile: 32, overlap: 8 },
  ...{ frames: 1, frame_step_s: 600, target_frame: 0 },
  channels: [
    { expr: 'T12-T11', min: -4, max: 2 },
    { expr: 'T11-T8', min: -4, max: 5 },
    { expr: 'T11', min: 243, max: 303 },
  ],
  calibration: { a: 1, b: 0 },
  ...{ name: 'sum', version: '1', licence: 'none' },
};

function modelDirectory(manifest: ModelManifest, model: Uint8Array, withRuntime = true): string {
  const directory = mkdtempSync(join(tmpdir(), 'model-'));
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(directory, 'model.onnx'), model);
  if (withRuntime && runtime !== null) symlinkSync(runtime, join(directory, 'node_modules'));
  return directory;
}

const [ROWS, COLUMNS] = [50, 70];
const band = (base: number) =>
  Float32Array.from({ length: ROWS * COLUMNS }, (_, i) => base + 3 * Math.sin(i / 7) + ((i * 37) % 11) / 10);
const FRAME: Frame = {
  ...{ satellite: 'goes-east', gridName: 'goes-east', time: 0, rows: ROWS, columns: COLUMNS },
  grid: windowOf(fullDisk('goes-east'), 1500, 2500, ROWS, COLUMNS),
  t8: band(278),
  t11: band(280).map((t, i) => (i === 1234 ? Number.NaN : t)),
  t12: band(279),
};

/** What the model computes of a pixel. */
function expectedAt(pixel: number, weights: readonly number[], bias: number): number {
  const [t8, t11, t12] = [FRAME.t8?.[pixel], FRAME.t11[pixel], FRAME.t12[pixel]] as [number, number, number];
  const inputs = [t12 - t11, t11 - t8, t11].map((value, k) => {
    const { min, max } = MANIFEST.channels[k] as ModelManifest['channels'][number];
    return Math.min(1, Math.max(0, (value - min) / (max - min)));
  });
  return inputs.reduce((sum, value, k) => sum + value * (weights[k] as number), bias);
}

describe('the onnx detector', () => {
  test.skipIf(!hasRuntime)(`gives the calibrated output of the model for every pixel${because}`, async () => {
    const weights = [2, -1, 0.5];
    const manifest = { ...MANIFEST, calibration: { a: 1.5, b: -0.3 } };
    const detector = await onnxDetector(modelDirectory(manifest, weightedSumModel(weights, 0.1, 32)));
    expect(detector.bands).toEqual(['T8', 'T11', 'T12']);
    const { confidence, valid } = await detector.detect(FRAME);
    for (let i = 0; i < ROWS * COLUMNS; i++) {
      expect(valid[i]).toBe(i === 1234 ? 0 : 1);
      const logit = 1.5 * expectedAt(i, weights, 0.1) - 0.3;
      expect(
        Math.abs((confidence[i] as number) - (i === 1234 ? 0 : 1 / (1 + Math.exp(-logit)))),
      ).toBeLessThan(1e-5);
    }
  });

  test.skipIf(!hasRuntime)(`needs the earlier frames of a temporal model${because}`, async () => {
    const manifest = { ...MANIFEST, frames: 2, target_frame: 1 };
    const detector = await onnxDetector(modelDirectory(manifest, weightedSumModel([1, 1, 1], 0, 32)));
    await expect(detector.detect(FRAME)).rejects.toThrow('needs the frame of 1969-12-31T23:50:00.000Z');
  });

  test.skipIf(!hasRuntime)(`sees the frames of a temporal model, oldest first${because}`, async () => {
    const manifest: ModelManifest = {
      ...MANIFEST,
      ...{ frames: 2, target_frame: 1, activation: 'none', calibration: { a: 1, b: 0 } },
      channels: [{ expr: 'T11', min: 200, max: 300 }],
    };
    const model = weightedSumModel([0.25, 0.5], 0.1, 32, 2);
    const detector = await onnxDetector(modelDirectory(manifest, model));
    expect(detector.earlierMs).toEqual([600_000]);
    const flat = (kelvin: number) => new Float32Array(ROWS * COLUMNS).fill(kelvin);
    const [frame, before] = [
      { ...FRAME, t11: flat(240) },
      { ...FRAME, time: -600_000, t11: flat(280) },
    ];
    const { confidence } = await detector.detect(frame, [before]);
    expect(confidence[0]).toBeCloseTo(0.25 * 0.8 + 0.5 * 0.4 + 0.1, 5);
    const smaller = { ...before, rows: ROWS - 1 };
    await expect(detector.detect(frame, [smaller])).rejects.toThrow('another number of pixels');
  });

  test.skipIf(!hasRuntime)(`refuses an output of another shape, and ridge takes over${because}`, async () => {
    const detector = await onnxDetector(
      modelDirectory({ ...MANIFEST, tile: 16 }, weightedSumModel([1, 1, 1], 0, 32)),
    );
    const failures: unknown[] = [];
    const { detector: name } = await detectWithFallback(detector, ridgeDetector(), FRAME, [], {
      onFailure: (error) => failures.push(error),
    });
    expect(failures).toHaveLength(1);
    expect(name).toBe('ridge 1.0 (sum 1 failed)');
  });

  test('names the remedy where ONNX Runtime is missing', async () => {
    const directory = modelDirectory(MANIFEST, weightedSumModel([1, 1, 1], 0, 32), false);
    await expect(onnxDetector(directory)).rejects.toThrow(
      `npm install --prefix ${directory} onnxruntime-node`,
    );
  });

  test.each([
    ['layout', 'NHWC'],
    ['activation', 'softmax'],
    ['tile', 0],
    ['overlap', 20],
    ['target_frame', 1],
    ['channels', [{ expr: 'T13', min: 0, max: 1 }]],
    ['channels', [{ expr: 'T11', min: 1, max: 1 }]],
    ['calibration', { a: 1 }],
    ['name', ''],
  ])('refuses a manifest with a wrong %s', (field, value) => {
    expect(() => parseManifest(JSON.stringify({ ...MANIFEST, [field]: value }), 'manifest.json')).toThrow(
      `${field} of manifest.json`,
    );
  });

  test('refuses a manifest that is not JSON', () => {
    expect(() => parseManifest('{', 'manifest.json')).toThrow('manifest.json is not JSON');
  });

  test('covers images of any size with tiles that overlap as asked', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 8, max: 64 }), (length, tile) => {
        const overlap = Math.floor(tile / 4);
        const starts = tileStarts(length, tile, overlap);
        starts.forEach((start, k) => {
          const next = starts[k + 1];
          if (next !== undefined) expect(start + tile - next).toBeGreaterThanOrEqual(overlap);
        });
        expect(starts[0]).toBe(0);
        expect((starts.at(-1) ?? 0) + tile).toBeGreaterThanOrEqual(length);
        expect(raisedCosine(tile, overlap).every((weight) => weight > 0 && weight <= 1)).toBe(true);
      }),
    );
  });
});

describe('a detection', () => {
  test('is not repeated with the other detector when it was cancelled', async () => {
    const abort = new AbortController();
    const cancelled: Detector = {
      ...ridgeDetector(),
      detect: () => {
        abort.abort();
        return Promise.reject(new Error('cancelled'));
      },
    };
    const run = detectWithFallback(cancelled, ridgeDetector(), FRAME, [], { signal: abort.signal });
    await expect(run).rejects.toThrow('aborted');
  });
});
