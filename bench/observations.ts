/**
 * Contrails in a full disk of 5424 × 5424 pixels on two threads: detection, segments and the attribution of a frame with
 * 10,000 flights, versus the same detector written with NumPy, SciPy and OpenCV on a part of the same disk.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readTools } from '../test/support/tools.ts';

const SIZE = 5424;
/** Side of the part that the peer computes, from the middle of the disk. */
const PEER_SIZE = 1024;
const LINES = 2500;
const MIB = 2 ** 20;

interface Stage {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

interface Measured {
  readonly pixels: number;
  readonly segments: number;
  readonly detection: Stage;
  readonly segmentation: Stage;
  readonly attribution: Stage;
  readonly points: number;
  readonly matches: number;
  readonly diskPeakBytes: number;
}

interface PeerMeasured {
  readonly pixels: number;
  readonly segments: number;
  readonly detection: number;
  readonly segmentation: number;
}

/** Clouds of several sizes, noise, and cold lines with a difference of channels. */
function writeBands(path: string): void {
  const cold = new Float32Array(SIZE * SIZE);
  const lines = makeLines();
  const contrails = new Float32Array(SIZE * SIZE);
  for (const line of lines) drawLine(contrails, line);
  for (let r = 0; r < SIZE; r++) {
    for (let c = 0; c < SIZE; c++) {
      const cloud = Math.sin(r / 61 + Math.sin(c / 83)) * Math.cos(c / 47 + Math.sin(r / 97));
      const texture = Math.sin(r / 7.3 + 2 * Math.sin(c / 19)) * Math.sin(c / 5.9 + 2 * Math.sin(r / 23));
      const i = r * SIZE + c;
      cold[i] = 280 + 8 * cloud + 0.4 * texture + 0.12 * (random(i, 1) - 0.5) - 3 * (contrails[i] as number);
    }
  }
  const warm = cold.map(
    (t, i) => t + 1.6 + 0.012 * (280 - t) + 0.1 * (random(i, 2) - 0.5) + 0.5 * (contrails[i] as number),
  );
  const file = openSync(path, 'w');
  for (const band of [warm, cold]) writeSync(file, new Uint8Array(band.buffer));
  closeSync(file);
}

interface Line {
  readonly column: number;
  readonly row: number;
  readonly angle: number;
  readonly length: number;
  readonly width: number;
}

function makeLines(): Line[] {
  return Array.from({ length: LINES }, (_, k) => ({
    column: SIZE * random(k, 11),
    row: SIZE * random(k, 12),
    angle: Math.PI * random(k, 13),
    length: 30 + 120 * random(k, 14),
    width: 0.8 + random(k, 15),
  }));
}

function drawLine(image: Float32Array, { column, row, angle, length, width }: Line): void {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const reach = length / 2 + 4;
  for (let r = Math.max(0, Math.floor(row - reach)); r < Math.min(SIZE, row + reach); r++) {
    for (let c = Math.max(0, Math.floor(column - reach)); c < Math.min(SIZE, column + reach); c++) {
      const [dc, dr] = [c - column, r - row];
      const across = dr * cos - dc * sin;
      if (Math.abs(across) > 6 || Math.abs(dc * cos + dr * sin) > length / 2) continue;
      const i = r * SIZE + c;
      image[i] = Math.max(image[i] as number, Math.exp((-across * across) / (2 * width * width)));
    }
  }
}

/** 0 … 1, the same in every run. */
function random(index: number, seed: number): number {
  let h = Math.imul(index, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca77);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 2 ** 32;
}

function run<T>(command: string, args: readonly string[]): T {
  const env = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  return JSON.parse(execFileSync(command, args, { encoding: 'utf8', env })) as T;
}

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const round = (value: number) => Number(value.toPrecision(3));

const directory = mkdtempSync(join(tmpdir(), 'contrails-bench-observations-'));
try {
  const bands = join(directory, 'bands.f32');
  writeBands(bands);
  const own = run<Measured>(process.execPath, ['--no-warnings', program('programs/observations.ts'), bands]);
  const { python, missing } = readTools();
  if (python === null) console.log(`no peer: ${missing.python ?? 'Python is not set up'}`);
  const theirs =
    python === null
      ? undefined
      : run<PeerMeasured>(python, [program('peer/observations.py'), bands, String(SIZE), String(PEER_SIZE)]);
  const perPixel = (seconds: number, pixels: number) => round((1e6 * seconds) / pixels);
  const peerPerPixel = (stage: 'detection' | 'segmentation') =>
    theirs === undefined ? '–' : perPixel(theirs[stage], theirs.pixels);
  console.log(
    `${own.pixels} pixels, ${own.segments} segments; ${own.points} points of exhaust, ${own.matches} matches`,
  );
  if (theirs !== undefined) console.log(`peer: ${theirs.pixels} pixels, ${theirs.segments} segments`);
  console.table([
    {
      what: 'L1 and L2 of a full disk, s',
      ours: round(own.detection.seconds + own.segmentation.seconds),
      wanted: '≤ 12',
    },
    { what: 'L1, s of CPU', ours: round(own.detection.cpuSeconds) },
    { what: 'L2, s of CPU', ours: round(own.segmentation.cpuSeconds) },
    {
      what: 'L1, µs of CPU per pixel',
      ours: perPixel(own.detection.cpuSeconds, own.pixels),
      peer: peerPerPixel('detection'),
    },
    {
      what: 'L2, µs of CPU per pixel',
      ours: perPixel(own.segmentation.cpuSeconds, own.pixels),
      peer: peerPerPixel('segmentation'),
    },
    { what: 'peak memory of L1 and L2, MB', ours: round(own.diskPeakBytes / MIB), wanted: '≤ 2048' },
    { what: 'L4 of a frame, 10,000 flights, s', ours: round(own.attribution.seconds), wanted: '≤ 5' },
    { what: 'L4 of a frame, s of CPU', ours: round(own.attribution.cpuSeconds) },
  ]);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
