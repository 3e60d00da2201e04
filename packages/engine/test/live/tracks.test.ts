import { MINUTE_MS } from '@contrails/runtime';
import { expect, test } from 'vitest';
import { AirframeTrack, columnsIn, degreesOf, type TrackReport } from '../../src/live/airframe-track.ts';
import { minutesAhead, motionOf } from '../../src/live/motion.ts';
import { LiveTracks } from '../../src/live/tracks.ts';

const START_MS = Date.parse('2026-01-15T10:00Z');

function report(timeMs: number, more: Partial<TrackReport> = {}): TrackReport {
  return {
    timeMs,
    longitude: 10,
    latitude: 50,
    altitudeBaroFt: 35_000,
    altitudeGnssFt: Number.NaN,
    nic: 8,
    nacp: 9,
    beginsLeg: false,
    isOnGround: false,
    source: 'roof',
    names: ['3C4B26', 'terrestrial', null, 'DLH1', null, null, 'A320', null, null, null, null, null],
    ...more,
  };
}

function timesOf(track: AirframeTrack): number[] {
  const { count, buffer } = track.pack();
  return Array.from(columnsIn(buffer).timeMs.subarray(0, count), (timeMs) => (timeMs - START_MS) / 1000);
}

test('the first report of each 10 s stays, in any order of arrival', () => {
  const seconds = [3, 7, 12, 14, 31, 28, 25, 1];
  const orders = [seconds, [...seconds].reverse(), [...seconds].sort()];
  for (const order of orders) {
    const track = new AirframeTrack('3C4B26');
    for (const second of order) track.add(report(START_MS + 1000 * second));
    expect(timesOf(track)).toEqual([1, 12, 25, 31]);
  }
});

test('a feed whose clock goes back fills in the past, and the newest position stays', () => {
  const track = new AirframeTrack('3C4B26');
  for (const second of [0, 10, 20, 30]) track.add(report(START_MS + 1000 * second, { longitude: second }));
  for (const second of [-3600, -3590, 5, 15])
    expect(track.add(report(START_MS + 1000 * second, { longitude: second }))).toBe(false);
  expect(track.newest).toMatchObject({ timeMs: START_MS + 30_000, longitude: 30 });
  expect(timesOf(track)).toEqual([-3600, -3590, 0, 10, 20, 30]);
  expect(motionOf(track)?.groundSpeedMS).toBeGreaterThan(0);
  track.forgetBefore(START_MS + 86_400_000);
  expect(track.count).toBe(0);
});

test('positions with seven decimals are kept exactly, and unknown ones stay unknown', () => {
  const track = new AirframeTrack('3C4B26');
  const positions = [
    [-179.9999999, 89.1234567],
    [0.1, -0.3],
    [Number.NaN, Number.NaN],
    [180, -90],
  ] as const;
  positions.forEach(([longitude, latitude], k) => {
    track.add(report(START_MS + 10_000 * k, { longitude, latitude }));
  });
  const columns = columnsIn(track.pack().buffer);
  positions.forEach(([longitude, latitude], k) => {
    expect(degreesOf(columns.longitude[k] as number)).toBe(longitude);
    expect(degreesOf(columns.latitude[k] as number)).toBe(latitude);
  });
});

test('the newest report of two feeds wins, and the first name of two at the same time', () => {
  const track = new AirframeTrack('3C4B26');
  track.add(report(START_MS, { source: 'b', longitude: 1 }));
  expect(track.add(report(START_MS, { source: 'a', longitude: 2 }))).toBe(true);
  expect(track.newest).toMatchObject({ source: 'a', longitude: 2 });
  expect(track.add(report(START_MS, { source: 'c', longitude: 3 }))).toBe(false);
  expect(track.add(report(START_MS - 5000, { source: 'a', longitude: 4 }))).toBe(false);
  expect(track.add(report(START_MS + 1000, { source: 'c', longitude: 5 }))).toBe(true);
  expect(track.newest).toMatchObject({ source: 'c', longitude: 5 });
});

test('reports that leave the window are forgotten, and rows that a thread reads do not change', () => {
  const track = new AirframeTrack('3C4B26');
  for (let k = 0; k < 200; k++) track.add(report(START_MS + 10_000 * k));
  const { count, buffer } = track.pack();
  const before = columnsIn(buffer).timeMs.slice(0, count);
  track.forgetBefore(START_MS + 1_000_000);
  track.add(report(START_MS + 1_005_000));
  track.add(report(START_MS + 1_004_000));
  expect(track.count).toBe(100);
  expect(track.isTruncated).toBe(true);
  expect(columnsIn(buffer).timeMs.slice(0, count)).toEqual(before);
});

test('airframes that were not seen for longest go first when memory is short', () => {
  const tracks = new LiveTracks(3 * new AirframeTrack('A00000').bytes);
  ['A00001', 'A00002', 'A00003', 'A00004'].forEach((address, k) => {
    const timestamp = Float64Array.of(START_MS + 1000 * k);
    tracks.addGround({ source: 'roof', timestamp, icaoAddress: [address] }, 0);
  });
  tracks.forget(0);
  expect(Array.from(tracks.all(), ({ icaoAddress }) => icaoAddress)).toEqual(['A00002', 'A00003', 'A00004']);
  expect(tracks.evicted).toBe(1);
});

test('an aircraft on the ground for hours takes bounded memory and ends its flight', () => {
  const track = new AirframeTrack('3C4B26');
  track.add(report(START_MS));
  for (let second = 60; second < 4 * 3600; second += 5)
    track.add(report(START_MS + 1000 * second, { isOnGround: true, names: undefined }));
  expect(track.count).toBeLessThanOrEqual(4 * 360);
  expect(track.groundMs).toBeGreaterThan(track.newest?.timeMs ?? 0);
});

test('the half hour ahead goes on along the great circle, also over a pole and the antimeridian', () => {
  for (const [longitude, latitude, toLongitude, toLatitude] of [
    [179.9, 10, -179.8, 10],
    [0, 89.5, 0, 89.8],
  ] as const) {
    const track = new AirframeTrack('3C4B26');
    track.add(report(START_MS, { longitude, latitude }));
    track.add(report(START_MS + 2 * MINUTE_MS, { longitude: toLongitude, latitude: toLatitude }));
    const motion = motionOf(track);
    if (motion === undefined || track.newest === undefined) throw new Error('no motion');
    expect(motion.groundSpeedMS).toBeGreaterThan(200);
    expect(motion.groundSpeedMS).toBeLessThan(300);
    const ahead = minutesAhead(track.newest, motion);
    expect(ahead?.timeMs).toHaveLength(31);
    expect(ahead?.longitude.every((value) => value >= -180 && value <= 180)).toBe(true);
    expect(ahead?.latitude.every((value) => Math.abs(value) <= 90)).toBe(true);
  }
  const climbing = new AirframeTrack('3C4B26');
  climbing.add(report(START_MS, { altitudeBaroFt: 30_000 }));
  climbing.add(report(START_MS + MINUTE_MS, { altitudeBaroFt: 32_000, longitude: 10.2 }));
  const motion = motionOf(climbing);
  if (motion === undefined || climbing.newest === undefined) throw new Error('no motion');
  expect(minutesAhead(climbing.newest, motion)).toBeUndefined();
});
