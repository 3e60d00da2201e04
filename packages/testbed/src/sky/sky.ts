/**
 * A window that a synthetic satellite observes for any length of time. Ground is computed once; clouds move over it with the
 * wind, so those of any time can be made independently.
 */

import { INSTRUMENTS, scanOffsetsOf } from '@contrails/observations/frame';
import { type FixedGrid, isGridName, toLonLat } from '@contrails/observations/navigation';
import { sharedFloat32 } from '@contrails/runtime';
import { drawContrails } from './contrail-layer.ts';
import { gaussianNoise } from './noise.ts';
import { type Plane, planeOf, toPlane } from './plane.ts';
import type { VisibleContrail } from './plumes.ts';
import { brightnessK, noiseRadiance, radianceOf, throughContrail, WAVELENGTHS } from './radiation.ts';
import { emptyColumn, makeScenery, type SceneryLook } from './scenery.ts';
import {
  type Band,
  blur,
  CIRRUS_HEIGHT_M,
  changesOf,
  FINE,
  fineGrid,
  instrument,
  makeViewpoint,
  meanOfFine,
  quantised,
  type View,
  type Viewpoint,
} from './view.ts';
import { makeWinds } from './winds.ts';

export interface SkySettings {
  readonly grid: FixedGrid;
  readonly seed: number;
  readonly look: SceneryLook;
}

/** In shared memory, for threads that draw clouds and contrails into it. */
export interface Sky extends SkySettings {
  /** The grid that contrails are drawn on: narrower than a pixel when they are young. */
  readonly fine: FixedGrid;
  readonly fineX: Float32Array;
  readonly fineY: Float32Array;
  readonly positions: Viewpoint['positions'];
  /** Of the view zenith angle of pixels. */
  readonly cosine: Float32Array;
  readonly ground: Readonly<Record<(typeof GROUND)[number], Float32Array>>;
}

const GROUND = ['surfaceK', 'landShare', 'vapour', 'soilK'] as const;
/** Noise of the instrument [K at 300 K]: less than that of scenes, as an imager in orbit does better than it has to. */
const NOISE_K = 0.03;
/** Ground and clouds are sampled once for each pixel; this stands for the optics and the width of a pixel [pixels]. */
const SKY_SIGMA = 0.53;

export function makeSky({ grid, seed, look }: SkySettings): Sky {
  const plane = planeOf(grid);
  const { positions, cosine } = makeViewpoint(grid, plane, grid);
  const pixels = grid.rows * grid.columns;
  const empty = () => sharedFloat32(pixels);
  const ground = { surfaceK: empty(), landShare: empty(), vapour: empty(), soilK: empty() };
  const scenery = makeScenery(seed, look, makeWinds(seed));
  const column = emptyColumn();
  for (let i = 0; i < pixels; i++) {
    scenery.fillGround(column, positionsAt(positions, i));
    for (const name of GROUND) ground[name][i] = column[name];
  }
  const fine = fineGrid(grid);
  return {
    ...{ grid, seed, look, fine, ground },
    ...finePositions(fine, plane),
    positions: {
      groundX: shared(positions.groundX),
      groundY: shared(positions.groundY),
      cloudX: shared(positions.cloudX),
      cloudY: shared(positions.cloudY),
      cirrusX: shared(positions.cirrusX),
      cirrusY: shared(positions.cirrusY),
    },
    cosine: shared(cosine),
  };
}

function positionsAt(positions: Viewpoint['positions'], i: number) {
  return {
    groundX: positions.groundX[i] as number,
    groundY: positions.groundY[i] as number,
    cloudX: positions.cloudX[i] as number,
    cloudY: positions.cloudY[i] as number,
    cirrusX: positions.cirrusX[i] as number,
    cirrusY: positions.cirrusY[i] as number,
  };
}

/** Where pixels of the fine grid are in the local plane, at the height of cirrus [km]. */
function finePositions(fine: FixedGrid, plane: Plane): Pick<Sky, 'fineX' | 'fineY'> {
  const [fineX, fineY] = [sharedFloat32(fine.rows * fine.columns), sharedFloat32(fine.rows * fine.columns)];
  for (let i = 0; i < fineX.length; i++) {
    const x = fine.x0 + (i % fine.columns) * fine.dx;
    const y = fine.y0 + Math.floor(i / fine.columns) * fine.dy;
    const [kmX, kmY] = toPlane(plane, ...toLonLat(fine, x, y, CIRRUS_HEIGHT_M));
    fineX[i] = kmX;
    fineY[i] = kmY;
  }
  return { fineX, fineY };
}

function shared(values: Float32Array): Float32Array {
  const copy = sharedFloat32(values.length);
  copy.set(values);
  return copy;
}

/** The frame of a time; `noiseSeed` is that of the noise of the instrument. */
export function viewSky(
  sky: Sky,
  contrails: readonly VisibleContrail[],
  timeMs: number,
  noiseSeed: number,
): View {
  const { grid, fine, cosine } = sky;
  const clear = clearRadiances(sky, timeMs);
  const layer = drawContrails(contrails, fine, planeOf(grid), sky.fineX, sky.fineY);
  const pixelOf = (i: number) =>
    Math.floor(i / fine.columns / FINE) * grid.columns + Math.floor((i % fine.columns) / FINE);
  const slantTau = layer.tau.map((tau, i) => (tau > 0 ? tau / (cosine[pixelOf(i)] as number) : 0));
  const bands = WAVELENGTHS.map((wavelength, band) => {
    const radiance = clear[band] as Float32Array;
    // The instrument is linear in radiance, so what contrails change can be added to what it sees without them.
    const change = new Float32Array(slantTau.length);
    for (let i = 0; i < change.length; i++) {
      const slant = slantTau[i] as number;
      if (slant === 0) continue;
      const below = radiance[pixelOf(i)] as number;
      const [temperatureK, beta] = [layer.temperatureK[i] as number, layer.beta[i] as number];
      change[i] = throughContrail(below, band, temperatureK, slant, beta) - below;
    }
    const changed = contrails.length === 0 ? undefined : instrument(change, fine);
    const noise = noiseRadiance(wavelength, NOISE_K);
    const measured = sharedFloat32(radiance.length);
    const without = new Float32Array(radiance.length);
    const withContrails = new Float32Array(radiance.length);
    for (let i = 0; i < measured.length; i++) {
      const [row, column] = [Math.floor(i / grid.columns), i % grid.columns];
      const below = radiance[i] as number;
      const seen = below + (changed?.[i] ?? 0);
      const random = noise * gaussianNoise(column, row, noiseSeed + 17 * band);
      measured[i] = quantised(brightnessK(wavelength, seen + random));
      without[i] = brightnessK(wavelength, below);
      withContrails[i] = seen === below ? (without[i] as number) : brightnessK(wavelength, seen);
    }
    return { measured, without, withContrails };
  });
  const [b8, b11, b12] = bands as [Band, Band, Band];
  return {
    frame: {
      satellite: grid.name,
      gridName: grid.name,
      time: timeMs,
      grid,
      ...{ t8: b8.measured, t11: b11.measured, t12: b12.measured },
      ...{ rows: grid.rows, columns: grid.columns },
      ...(isGridName(grid.name) ? { instrument: INSTRUMENTS[grid.name] } : {}),
    },
    ...changesOf(b11, b12),
    slantTau: meanOfFine(slantTau, fine),
  };
}

/** Radiances of each band without contrails, as the instrument sees them. */
function clearRadiances(sky: Sky, timeMs: number): Float32Array[] {
  const { grid, seed, look, positions, cosine, ground } = sky;
  const scenery = makeScenery(seed, look, makeWinds(seed));
  const offsets = scanOffsetsOf({ grid });
  const radiances = WAVELENGTHS.map(() => new Float32Array(cosine.length));
  const column = emptyColumn();
  for (let i = 0; i < cosine.length; i++) {
    for (const name of GROUND) column[name] = ground[name][i] as number;
    const seconds = timeMs / 1000 + (offsets[Math.floor(i / grid.columns)] as number);
    scenery.fillClouds(column, positionsAt(positions, i), seconds);
    radiances.forEach((band, k) => {
      band[i] = radianceOf(column, k, cosine[i] as number);
    });
  }
  return radiances.map((band) => blur(band, grid.rows, grid.columns, SKY_SIGMA));
}
