import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type FlightPoints, prepareFlight, type Winds } from '../../src/attribution/index.ts';
import type { Frame } from '../../src/frame/index.ts';
import { openImageFile } from '../../src/readers/hdf5.ts';
import { readFrame } from '../../src/readers/index.ts';
import type { TruthLine } from '../../src/score/index.ts';
import type { Segment } from '../../src/segments/index.ts';
import { REFERENCE } from './reference.ts';
import { readWinds } from './weather.ts';

export const SCENES = { 'scene-a': 3, 'scene-b': 6 } as const;
export type SceneName = keyof typeof SCENES;

function pathOf(scene: SceneName, file: string): string {
  return fileURLToPath(new URL(`${scene}/${file}`, REFERENCE));
}

function json<T>(scene: SceneName, file: string): T {
  return JSON.parse(readFileSync(pathOf(scene, file), 'utf8')) as T;
}

const number = (frame: number) => String(frame).padStart(2, '0');

export function sceneFrame(scene: SceneName, frame: number): Frame {
  return readFrame([pathOf(scene, `frame_${number(frame)}.nc`)]);
}

export function expectedSegments(scene: SceneName, frame: number): Segment[] {
  return json(scene, `expected/l2_${number(frame)}.json`);
}

interface ExpectedChunk {
  readonly flight: string;
  readonly chunk: number;
  readonly evidence: number;
  readonly normal_wind_error: number;
  readonly detections: readonly string[];
}

export function expectedChunks(scene: SceneName): ExpectedChunk[] {
  return json(scene, 'expected/l4.json');
}

/** A variable of the expected L1 of the first frame. */
export function expectedL1(scene: SceneName, variable: string): Float64Array {
  const file = openImageFile(pathOf(scene, 'expected/l1_00.nc'));
  try {
    return file.numbers(variable);
  } finally {
    file.close();
  }
}

export function truthLines(scene: SceneName): TruthLine[][] {
  return json<{ contrails: TruthLine[] }[]>(scene, 'truth_lines.json').map(({ contrails }) => contrails);
}

interface SceneFlight {
  readonly flight: string;
  readonly time: readonly string[];
  readonly longitude: readonly number[];
  readonly latitude: readonly number[];
  readonly altitude_m: number | readonly number[];
}

export function sceneFlights(scene: SceneName): FlightPoints[] {
  return json<SceneFlight[]>(scene, 'flights.json').map(
    ({ flight, time, longitude, latitude, altitude_m }) => {
      const altitudeM = time.map((_, i) =>
        typeof altitude_m === 'number' ? altitude_m : (altitude_m[i] as number),
      );
      const prepared = prepareFlight({
        flight,
        timeMs: time.map(Date.parse),
        longitude,
        latitude,
        altitudeM,
      });
      if ('reason' in prepared) throw new Error(`${flight}: ${prepared.reason}`);
      return prepared;
    },
  );
}

const windsOfScene = new Map<SceneName, Promise<Winds>>();

/** Read once: it starts a thread. */
export function sceneWinds(scene: SceneName): Promise<Winds> {
  const winds =
    windsOfScene.get(scene) ?? readWinds(fileURLToPath(new URL(`${scene}/`, REFERENCE)), 'met.nc');
  windsOfScene.set(scene, winds);
  return winds;
}
