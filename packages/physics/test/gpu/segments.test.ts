/** Segments with a direction on a GPU, in single precision, against the functions of two points. */
import { describe, expect, test } from 'vitest';
import { openDevice } from '../../../../test/support/gpu.ts';
import { endsOf } from '../../src/cocip/gpu/numbers.ts';
import { StageWriter } from '../../src/cocip/gpu/stages.ts';
import { measureSegment } from '../../src/cocip/vector/segment.ts';
import { haversineM, segmentCosA, segmentSinA } from '../../src/geodesy/sphere.ts';
import { spread } from '../support/plume-rows.ts';
import { runRows } from './support.ts';

const device = await openDevice();
const ROWS = 4000;

const column = (of: (i: number) => number) => Float32Array.from({ length: ROWS }, (_, i) => of(i));

describe.skipIf(typeof device === 'string')(
  typeof device === 'string' ? `skipped: ${device}` : 'a segment in single precision',
  () => {
    test('has the length and the direction of its ends', async () => {
      if (typeof device === 'string') throw new Error(device);
      // From a metre to a thousand kilometres, at all latitudes.
      const size = column((i) => 10 ** spread('size', i, -5, 1));
      const tailLatitude = column((i) => spread('latitude', i, -88, 88) * (i % 5 === 0 ? 1.005 : 0.9));
      const angle = column((i) => (i < 8 ? (i * Math.PI) / 4 : spread('angle', i, 0, 2 * Math.PI)));
      const segmentNorth = column((i) => {
        const north = (size[i] as number) * Math.sin(angle[i] as number);
        return Math.abs((tailLatitude[i] as number) + north) < 89 ? north : -north;
      });
      const segmentEast = column(
        (i) =>
          ((size[i] as number) * Math.cos(angle[i] as number)) /
          Math.cos(((tailLatitude[i] as number) * Math.PI) / 180),
      );
      const headLatitude = column((i) => (tailLatitude[i] as number) + (segmentNorth[i] as number));
      const writer = new StageWriter();
      const statements = writer.write('measureSegment', measureSegment);
      const found = await runRows(
        device,
        { statements, columns: [...writer.columns] },
        { segmentEast, segmentNorth, tailLatitude, headLatitude },
        ROWS,
      );
      for (let i = 0; i < ROWS; i++) {
        const lat = tailLatitude[i] as number;
        const ends = [0, lat, segmentEast[i] as number, lat + (segmentNorth[i] as number)] as const;
        const length = haversineM(...ends);
        expect(Math.abs((found.length?.[i] as number) / length - 1)).toBeLessThan(2e-6);
        expect(Math.abs((found.sinA?.[i] as number) - segmentSinA(...ends))).toBeLessThan(5e-6);
        expect(Math.abs((found.cosA?.[i] as number) - segmentCosA(...ends))).toBeLessThan(5e-6);
      }
    });
  },
);

test('ends of segments lie on both sides of their middle', () => {
  const latitude = Float64Array.of(-89, -45, 0, 60, 89);
  const ends = endsOf({ kind: 'directed', azimuthDeg: 90, lengthM: 1000 }, latitude);
  latitude.forEach((lat, row) => {
    const [headEast, headNorth, tailEast, tailNorth] = ends.subarray(4 * row, 4 * row + 4) as unknown as [
      number,
      number,
      number,
      number,
    ];
    expect(headEast).toBeGreaterThan(0);
    expect(tailEast).toBeCloseTo(-headEast, 9);
    expect(haversineM(tailEast, lat + tailNorth, headEast, lat + headNorth)).toBeCloseTo(1000, 3);
  });
  expect(endsOf({ kind: 'free', normalShearShare: 0.6 }, latitude)).toHaveLength(0);
});
