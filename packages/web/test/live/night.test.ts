import { cosSolarZenith } from '@contrails/physics/atmosphere';
import { expect, test } from 'vitest';
import { nightShape } from '../../src/live/night.ts';

function ringAt(time: string): number[][] {
  const [feature] = nightShape(Date.parse(time)).features;
  const geometry = feature?.geometry;
  return geometry?.type === 'Polygon' ? (geometry.coordinates[0] ?? []) : [];
}

test.each(['2026-01-15T12:00Z', '2026-06-21T03:00Z', '2026-10-01T18:30Z'])(
  'the sun stands on the horizon along the edge of the night at %s',
  (time) => {
    const edge = ringAt(time).slice(1, -2);
    expect(edge.length).toBeGreaterThan(100);
    for (const [longitude = 0, latitude = 0] of edge) {
      expect(cosSolarZenith(longitude, latitude, Date.parse(time))).toBeCloseTo(0, 6);
    }
  },
);

test('the pole without sun is dark: the north in winter, the south in summer', () => {
  expect(ringAt('2026-01-15T12:00Z')[0]).toEqual([-180, 90]);
  expect(ringAt('2026-06-21T12:00Z')[0]).toEqual([-180, -90]);
});

test('an equinox has a closed ring without gaps', () => {
  const ring = ringAt('2026-03-20T14:46Z');
  expect(ring.at(-1)).toEqual(ring[0]);
  expect(ring.flat().every(Number.isFinite)).toBe(true);
});
