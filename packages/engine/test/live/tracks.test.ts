import { MINUTE_MS } from '@contrails/runtime';
import { seededRandom } from '@contrails/testbed/weather/random';
import { expect, test } from 'vitest';
import {
  AirframeTrack,
  type PackedTrack,
  packTracks,
  type TrackNames,
  type TrackReport,
} from '../../src/live/airframe-track.ts';
import { minutesAhead, motionOf } from '../../src/live/motion.ts';
import { BYTES_PER_CHUNK, type ReportColumns, ReportMemory, ReportRows } from '../../src/live/report-rows.ts';
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

function newTrack(memory = new ReportMemory()): AirframeTrack {
  return new AirframeTrack('3C4B26', memory);
}

function packed(track: AirframeTrack): PackedTrack {
  return packTracks([track])[0] as PackedTrack;
}

function columnsOf({ buffer, firstRow, count, baseMs }: PackedTrack): ReportColumns {
  return new ReportRows(buffer).columns(firstRow, count, baseMs);
}

/** [s] since the start */
function timesOf(track: AirframeTrack | PackedTrack): number[] {
  const given = track instanceof AirframeTrack ? packed(track) : track;
  return Array.from(columnsOf(given).timeMs, (timeMs) => (timeMs - START_MS) / 1000);
}

test('the first report of each 10 s stays, in any order of arrival', () => {
  const seconds = [3, 7, 12, 14, 31, 28, 25, 1];
  const orders = [seconds, [...seconds].reverse(), [...seconds].sort()];
  for (const order of orders) {
    const track = newTrack();
    for (const second of order) track.add(report(START_MS + 1000 * second));
    expect(timesOf(track)).toEqual([1, 12, 25, 31]);
  }
});

test('a feed whose clock goes back fills in the past, and the newest position stays', () => {
  const track = newTrack();
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
  const track = newTrack();
  const positions = [
    [-179.9999999, 89.1234567],
    [0.1, -0.3],
    [Number.NaN, Number.NaN],
    [180, -90],
  ] as const;
  positions.forEach(([longitude, latitude], k) => {
    track.add(report(START_MS + 10_000 * k, { longitude, latitude }));
  });
  const { longitude, latitude } = columnsOf(packed(track));
  expect(positions.map((_, k) => [longitude[k], latitude[k]])).toEqual(positions);
});

test('altitudes, quality and flags are kept as they are ingested, and unknown ones stay unknown', () => {
  const track = newTrack();
  const reports = [
    { altitudeBaroFt: -2000, altitudeGnssFt: 70_000, nic: 0, nacp: 11, beginsLeg: true, isOnGround: false },
    { altitudeBaroFt: 60_000, altitudeGnssFt: -2000, nic: 11, nacp: 0, beginsLeg: false, isOnGround: true },
    { altitudeBaroFt: Number.NaN, altitudeGnssFt: 63_535, nic: Number.NaN, nacp: Number.NaN },
    { altitudeBaroFt: 0, altitudeGnssFt: Number.NaN, beginsLeg: true, isOnGround: true },
  ];
  for (const [k, more] of reports.entries()) track.add(report(START_MS + 10_000 * k, more));
  const columns = columnsOf(packed(track));
  const kept = reports.map((_, k) => ({
    altitudeBaroFt: columns.altitudeBaroFt[k],
    altitudeGnssFt: columns.altitudeGnssFt[k],
    nic: columns.nic[k],
    nacp: columns.nacp[k],
    beginsLeg: ((columns.flags[k] as number) & 2) !== 0,
    isOnGround: ((columns.flags[k] as number) & 1) !== 0,
  }));
  expect(kept).toEqual(
    reports.map((more) => ({ nic: 8, nacp: 9, beginsLeg: false, isOnGround: false, ...more })),
  );
});

test('reports in any order among others, over many chunks, are as if they had come in order', () => {
  const random = seededRandom(3);
  const memory = new ReportMemory();
  for (let round = 0; round < 5; round++) {
    const seconds = Array.from({ length: 300 }, (_, k) => 10 * k);
    const shuffled = seconds.map((second) => ({ second, order: random() })).sort((a, b) => a.order - b.order);
    const [ordered, mixed] = [newTrack(memory), newTrack(memory)];
    for (const second of seconds) ordered.add(report(START_MS + 1000 * second, { longitude: second / 100 }));
    for (const { second } of shuffled)
      mixed.add(report(START_MS + 1000 * second, { longitude: second / 100 }));
    for (const track of [ordered, mixed]) {
      expect(timesOf(track)).toEqual(seconds);
      expect([...columnsOf(packed(track)).longitude]).toEqual(seconds.map((second) => second / 100));
    }
    ordered.clear();
    expect(timesOf(mixed)).toEqual(seconds);
    mixed.forgetBefore(START_MS + 1_000_000);
    expect(timesOf(mixed)).toEqual(seconds.slice(100));
  }
});

test('an airframe whose names change all the time keeps those of its rows', () => {
  const track = newTrack();
  const callsignAt = (k: number): TrackNames => ['3C4B26', 'terrestrial', null, `DLH${k}`];
  for (let k = 0; k < 1000; k++) {
    track.add(report(START_MS + 10_000 * k, { names: callsignAt(k) }));
    track.forgetBefore(START_MS + 10_000 * (k - 100));
  }
  const { names } = packed(track);
  const kept = Array.from(columnsOf(packed(track)).name, (name) => names[name]?.[3]);
  expect(kept.at(-1)).toBe('DLH999');
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, k) => `DLH${1000 - kept.length + k}`));
});

test('an airframe that is heard for months counts its times from new', () => {
  const track = newTrack();
  for (let day = 0; day < 200; day += 10) {
    const dayMs = START_MS + day * 86_400_000;
    track.forgetBefore(dayMs - 86_400_000);
    for (const second of [0, 30, 10]) track.add(report(dayMs + 1000 * second));
    expect(timesOf(track).slice(-3)).toEqual([0, 10, 30].map((second) => 86_400 * day + second));
  }
});

test('the newest report of two feeds wins, and the first name of two at the same time', () => {
  const track = newTrack();
  track.add(report(START_MS, { source: 'b', longitude: 1 }));
  expect(track.add(report(START_MS, { source: 'a', longitude: 2 }))).toBe(true);
  expect(track.newest).toMatchObject({ source: 'a', longitude: 2 });
  expect(track.add(report(START_MS, { source: 'c', longitude: 3 }))).toBe(false);
  expect(track.add(report(START_MS - 5000, { source: 'a', longitude: 4 }))).toBe(false);
  expect(track.add(report(START_MS + 1000, { source: 'c', longitude: 5 }))).toBe(true);
  expect(track.newest).toMatchObject({ source: 'c', longitude: 5 });
});

test('reports that leave the window are forgotten, and rows that a thread reads do not change', () => {
  const track = newTrack();
  for (let k = 0; k < 200; k++) track.add(report(START_MS + 10_000 * k));
  const given = packed(track);
  const before = timesOf(given);
  track.forgetBefore(START_MS + 1_000_000);
  track.add(report(START_MS + 1_005_000));
  track.add(report(START_MS + 1_004_000));
  expect(track.count).toBe(100);
  expect(track.isTruncated).toBe(true);
  expect(timesOf(given)).toEqual(before);
});

test('airframes that were not seen for longest go first when memory is short', () => {
  const tracks = new LiveTracks(3 * BYTES_PER_CHUNK);
  ['A00001', 'A00002', 'A00003', 'A00004'].forEach((address, k) => {
    const timestamp = Float64Array.of(START_MS + 1000 * k);
    tracks.addGround({ source: 'roof', timestamp, icaoAddress: [address] }, 0);
  });
  tracks.forget(0);
  expect(Array.from(tracks.all(), ({ icaoAddress }) => icaoAddress)).toEqual(['A00002', 'A00003', 'A00004']);
  expect(tracks.evicted).toBe(1);
});

test('an aircraft on the ground for hours takes bounded memory and ends its flight', () => {
  const track = newTrack();
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
    const track = newTrack();
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
  const climbing = newTrack();
  climbing.add(report(START_MS, { altitudeBaroFt: 30_000 }));
  climbing.add(report(START_MS + MINUTE_MS, { altitudeBaroFt: 32_000, longitude: 10.2 }));
  const motion = motionOf(climbing);
  if (motion === undefined || climbing.newest === undefined) throw new Error('no motion');
  expect(minutesAhead(climbing.newest, motion)).toBeUndefined();
});
