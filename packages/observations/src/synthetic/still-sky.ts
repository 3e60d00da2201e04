/** Ground and cloud that stand still, so that what they radiate is computed once for any number of frames. */
import { sharedFloat32 } from '@contrails/runtime';
import { type Frame, INSTRUMENTS } from '../frame/index.ts';
import { type FixedGrid, isGridName, toLonLat } from '../navigation/index.ts';
import { drawContrails } from './contrail-layer.ts';
import { gaussianNoise } from './noise.ts';
import { type Plane, planeOf, toPlane } from './plane.ts';
import type { VisibleContrail } from './plumes.ts';
import { brightnessK, noiseRadiance, throughContrail, WAVELENGTHS } from './radiation.ts';
import { makeScenery } from './scenery.ts';
import {
  blur,
  CIRRUS_HEIGHT_M,
  FINE,
  fillRadiances,
  fineGrid,
  instrument,
  makeViewpoint,
  NOISE_K,
  quantised,
} from './view.ts';
import { makeWinds } from './winds.ts';

/** In shared memory, for threads that draw contrails into it. */
export interface StillSky {
  readonly grid: FixedGrid;
  /** The grid that contrails are drawn on: narrower than a pixel when they are young. */
  readonly fine: FixedGrid;
  readonly cirrusX: Float32Array;
  readonly cirrusY: Float32Array;
  /** Of the view zenith angle of pixels. */
  readonly cosine: Float32Array;
  /** Radiances of each band without contrails, as the instrument sees them. */
  readonly measured: readonly Float32Array[];
}

/** Ground and clouds are looked at once for each pixel; this stands for the optics and the width of a pixel [pixels]. */
const SKY_SIGMA = 0.53;

export function makeStillSky(settings: {
  readonly grid: FixedGrid;
  readonly seed: number;
  /** Cirrus: 0.6 little, 1 some, 1.4 much. */
  readonly clutter: number;
}): StillSky {
  const { grid, seed, clutter } = settings;
  const plane = planeOf(grid);
  const viewpoint = makeViewpoint(grid, plane, grid);
  const { places, cosine } = viewpoint;
  const pixels = grid.rows * grid.columns;
  const radiances = WAVELENGTHS.map(() => new Float32Array(pixels));
  const none = { tau: new Float32Array(pixels), temperatureK: places.cirrusX, beta: places.cirrusX };
  const scenery = makeScenery(seed, clutter, makeWinds(seed));
  fillRadiances(viewpoint, scenery, none, radiances, radiances, () => 0);
  const fine = fineGrid(grid);
  return {
    grid,
    fine,
    ...cirrusPlaces(fine, plane),
    cosine: shared(cosine),
    measured: radiances.map((band) => shared(blur(band, grid.rows, grid.columns, SKY_SIGMA))),
  };
}

/** Where pixels of the fine grid are in the local plane, at the height of cirrus [km]. */
function cirrusPlaces(fine: FixedGrid, plane: Plane): Pick<StillSky, 'cirrusX' | 'cirrusY'> {
  const [cirrusX, cirrusY] = [
    sharedFloat32(fine.rows * fine.columns),
    sharedFloat32(fine.rows * fine.columns),
  ];
  for (let i = 0; i < cirrusX.length; i++) {
    const x = fine.x0 + (i % fine.columns) * fine.dx;
    const y = fine.y0 + Math.floor(i / fine.columns) * fine.dy;
    const [kmX, kmY] = toPlane(plane, ...toLonLat(fine, x, y, CIRRUS_HEIGHT_M));
    cirrusX[i] = kmX;
    cirrusY[i] = kmY;
  }
  return { cirrusX, cirrusY };
}

function shared(values: Float32Array): Float32Array {
  const copy = sharedFloat32(values.length);
  copy.set(values);
  return copy;
}

/** The frame of a time; `seed` is that of the noise of the instrument. */
export function viewStillSky(
  { grid, fine, cirrusX, cirrusY, cosine, measured }: StillSky,
  contrails: readonly VisibleContrail[],
  timeMs: number,
  seed: number,
): Frame {
  const layer = drawContrails(contrails, fine, planeOf(grid), cirrusX, cirrusY);
  const pixelOf = (i: number) =>
    Math.floor(i / fine.columns / FINE) * grid.columns + Math.floor((i % fine.columns) / FINE);
  const [t8, t11, t12] = WAVELENGTHS.map((wavelength, band) => {
    const clear = measured[band] as Float32Array;
    // The instrument is linear in radiance, so that what contrails change can be added to what it sees without them.
    const change = new Float32Array(layer.tau.length);
    for (let i = 0; i < change.length; i++) {
      const tau = layer.tau[i] as number;
      if (tau === 0) continue;
      const pixel = pixelOf(i);
      const slant = tau / (cosine[pixel] as number);
      const below = clear[pixel] as number;
      change[i] =
        throughContrail(below, band, layer.temperatureK[i] as number, slant, layer.beta[i] as number) - below;
    }
    const seen = contrails.length === 0 ? undefined : instrument(change, fine);
    const noise = noiseRadiance(wavelength, NOISE_K[band] as number);
    const temperature = sharedFloat32(grid.rows * grid.columns);
    for (let i = 0; i < temperature.length; i++) {
      const [row, column] = [Math.floor(i / grid.columns), i % grid.columns];
      const random = noise * gaussianNoise(column, row, seed + 17 * band);
      temperature[i] = quantised(brightnessK(wavelength, (clear[i] as number) + (seen?.[i] ?? 0) + random));
    }
    return temperature;
  }) as [Float32Array, Float32Array, Float32Array];
  return {
    satellite: grid.name,
    gridName: grid.name,
    time: timeMs,
    grid,
    t8,
    t11,
    t12,
    rows: grid.rows,
    columns: grid.columns,
    ...(isGridName(grid.name) ? { instrument: INSTRUMENTS[grid.name] } : {}),
  };
}
