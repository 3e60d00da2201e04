import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ridgeDetector } from '@contrails/observations/detect';
import { toScanAngle } from '@contrails/observations/navigation';
import { readFrame } from '@contrails/observations/readers';
import { segmentEnds } from '@contrails/observations/score';
import { findSegments, storedConfidence } from '@contrails/observations/segments';
import { afterAll, describe, expect, test } from 'vitest';
import {
  makeScene,
  makeSky,
  makeWatch,
  makeWinds,
  planeOf,
  type SceneSettings,
  sceneFiles,
  viewSky,
} from '../../src/sky/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'contrails-scene-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SETTINGS: SceneSettings = {
  seed: 5,
  satellite: 'goes-east',
  clutter: 0.6,
  startMs: Date.UTC(2024, 2, 7, 15),
  firstRow: 960,
  firstColumn: 2500,
  size: 160,
};

describe('synthetic scenes', () => {
  test('the same seed gives the same scene, another seed another one', () => {
    const [a, b, c] = [SETTINGS, SETTINGS, { ...SETTINGS, seed: 6 }].map((settings) =>
      makeScene(settings).frame(1),
    );
    expect(a?.frame.t12).toEqual(b?.frame.t12);
    expect(a?.lines).toEqual(b?.lines);
    expect(a?.frame.t12).not.toEqual(c?.frame.t12);
  });

  test.each(['goes-west', 'himawari', 'mtg-0'] as const)('temperatures of %s are plausible', (satellite) => {
    const { frame } = makeScene({ ...SETTINGS, satellite, size: 96, clutter: 1.4 }).frame(0);
    for (const band of [frame.t8, frame.t11, frame.t12]) {
      expect(band?.every((value) => value > 200 && value < 310)).toBe(true);
    }
  });

  test('contrails cool the 12 µm band and raise the difference of the bands where the truth says so', () => {
    const view = makeScene(SETTINGS).frame(2);
    const marked = view.mask.reduce((sum, value) => sum + value, 0);
    expect(marked).toBeGreaterThan(200);
    expect(view.lines.length).toBeGreaterThan(5);
    view.mask.forEach((isContrail, i) => {
      if (isContrail === 0) return;
      expect(view.cooling12[i]).toBeGreaterThanOrEqual(0.15);
      expect(view.gainBtd[i]).toBeGreaterThanOrEqual(0.02);
    });
    for (const { pixels, lengthPx, flight } of view.lines) {
      expect(lengthPx).toBeGreaterThanOrEqual(6);
      expect(flight).toMatch(/^[A-Z]{2}~\d+~2024-03-07~[A-Z]{3}$/);
      expect(pixels.every(([c, r]) => c > -1 && r > -1 && c < 160.5 && r < 160.5)).toBe(true);
    }
  });

  test('a contrail from elsewhere appears where its height puts it', () => {
    const { grid } = makeScene(SETTINGS);
    const plane = planeOf(grid);
    const watch = makeWatch({
      seed: 1,
      look: { clutter: 0 },
      grid,
      plane,
      winds: makeWinds(1),
      startMs: SETTINGS.startMs,
    });
    const point = (lon: number) => ({
      lon,
      lat: plane.lat,
      heightM: 11_000,
      temperatureK: 218,
      flightTimeMs: SETTINGS.startMs - 3_600_000,
      ageS: 3600,
      tau: 0.3,
      sigmaKm: 2,
    });
    const contrail = {
      id: 0,
      flight: 'XA~1~2024-03-07~AAX',
      beta: 1.15,
      points: [point(plane.lon - 0.8), point(plane.lon + 0.8)],
    };
    const view = watch(SETTINGS.startMs, [contrail]);
    const [x, y] = toScanAngle(grid, plane.lon, plane.lat, 11_000);
    const column = Math.round((x - grid.x0) / grid.dx);
    const row = Math.round((y - grid.y0) / grid.dy);
    const profile = Array.from(
      { length: 21 },
      (_, k) => view.cooling12[(row - 10 + k) * 160 + column] as number,
    );
    expect(profile.indexOf(Math.max(...profile))).toBe(10);
    expect(view.lines).toHaveLength(1);
    expect(view.lines[0]?.observable).toBe(true);
  });

  test('clouds of a sky move with the wind and its ground does not, and any time can be made by itself', () => {
    const grid = makeScene(SETTINGS).grid;
    const sky = makeSky({ grid, seed: 1, look: { clutter: 1, isVaried: true } });
    const at = (minutes: number) => viewSky(sky, [], SETTINGS.startMs + minutes * 60_000, 7).clear12;
    const [now, later] = [at(0), at(10)];
    expect(at(0)).toEqual(now);
    // Where clouds are in neither, the ground shows the same temperature to the last digit.
    const same = now.filter((value, i) => Math.abs(value - (later[i] as number)) < 1e-3).length / now.length;
    expect(same).toBeGreaterThan(0.2);
    expect(same).toBeLessThan(0.95);
    // What moves, moves to the east: shifted by the wind, images are more alike than in place.
    const difference = (columns: number) => {
      let [sum, count] = [0, 0];
      for (let i = 0; i < now.length; i++) {
        const [a, b] = [now[i] as number, later[i + columns] as number];
        if ((i % grid.columns) + columns >= grid.columns || a > 270) continue;
        sum += Math.abs(a - b);
        count++;
      }
      return sum / count;
    };
    const best = [0, 2, 4, 6, 8, 10, 12].reduce((a, b) => (difference(b) < difference(a) ? b : a));
    expect(best).toBeGreaterThan(0);
  });

  test('a contrail in a sky is found where it is, frame after frame', async () => {
    const { grid } = makeScene(SETTINGS);
    const plane = planeOf(grid);
    const sky = makeSky({ grid, seed: 1, look: { clutter: 0 } });
    const point = (lon: number) => ({
      ...{ lon, lat: plane.lat, heightM: 11_000, temperatureK: 218, flightTimeMs: 0 },
      ...{ ageS: 3600, tau: 0.3, sigmaKm: 1.5 },
    });
    const contrail = {
      ...{ id: 0, flight: 'XA~1~2024-03-07~AAX', beta: 1.15 },
      points: [point(plane.lon - 0.8), point(plane.lon + 0.8)],
    };
    const [x, y] = toScanAngle(grid, plane.lon, plane.lat, 11_000);
    for (const seed of [1, 2]) {
      const { frame } = viewSky(sky, [contrail], SETTINGS.startMs, seed);
      const { confidence, valid } = await ridgeDetector().detect(frame);
      const segments = await findSegments({ ...frame, stored: storedConfidence(confidence, valid) });
      const [first] = segments;
      const [[c0, r0], [c1, r1]] = segmentEnds(first?.wkt ?? '', grid);
      expect((c0 + c1) / 2).toBeCloseTo((x - grid.x0) / grid.dx, -1);
      expect(Math.abs((r0 + r1) / 2 - (y - grid.y0) / grid.dy)).toBeLessThan(2);
    }
    const without = viewSky(sky, [], SETTINGS.startMs, 1).frame;
    expect(without.t12.every((value) => value > 200 && value < 310)).toBe(true);
  });

  test('its files are read like those of an archive', async () => {
    const scene = makeScene({ ...SETTINGS, size: 96 });
    const names: string[] = [];
    for await (const { name, bytes } of sceneFiles(scene, 2)) {
      names.push(name);
      writeFileSync(join(folder, name), bytes);
    }
    expect(names.toSorted()).toEqual([
      'flights.json',
      'frame_00.nc',
      'frame_01.nc',
      'met.nc',
      'scene.json',
      'truth_contrails.json',
      'truth_lines.json',
      'truth_mask.nc',
    ]);
    const made = scene.frame(1).frame;
    const read = readFrame([join(folder, 'frame_01.nc')]);
    expect(read).toMatchObject({ satellite: 'goes-east', time: made.time, grid: { ...made.grid } });
    for (const band of ['t8', 't11', 't12'] as const) {
      const differences = read[band]?.map((value, i) => Math.abs(value - (made[band]?.[i] as number)));
      expect(differences?.every((difference) => difference < 1e-4)).toBe(true);
    }
    const lines = JSON.parse(readFileSync(join(folder, 'truth_lines.json'), 'utf8'));
    expect(lines[1]).toMatchObject({ frame: 1, time: '2024-03-07T15:10:00Z' });
  });
});
