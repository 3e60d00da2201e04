/** Ground and cloud that stand still, so that what they radiate is computed once for any number of frames. */
import { sharedFloat32 } from '@contrails/runtime';
import { type Frame, INSTRUMENTS } from '../frame/index.ts';
import { type FixedGrid, isGridName } from '../navigation/index.ts';
import { drawContrails } from './contrail-layer.ts';
import { gaussianNoise } from './noise.ts';
import { planeOf } from './plane.ts';
import type { VisibleContrail } from './plumes.ts';
import { brightnessK, noiseRadiance, throughContrail, WAVELENGTHS } from './radiation.ts';
import { makeScenery } from './scenery.ts';
import { fillRadiances, instrument, makeViewpoint, NOISE_K, quantised } from './view.ts';
import { makeWinds } from './winds.ts';

/** In shared memory, for threads that draw contrails into it. */
export interface StillSky {
  readonly grid: FixedGrid;
  /** The grid whose pixels those of the image are made of. */
  readonly fine: FixedGrid;
  readonly cirrusX: Float32Array;
  readonly cirrusY: Float32Array;
  readonly cosine: Float32Array;
  /** Radiances of each band on the fine grid, and as the instrument sees them. */
  readonly radiances: readonly Float32Array[];
  readonly measured: readonly Float32Array[];
}

export function makeStillSky(settings: {
  readonly grid: FixedGrid;
  readonly seed: number;
  /** Cirrus: 0.6 little, 1 some, 1.4 much. */
  readonly clutter: number;
}): StillSky {
  const { grid, seed, clutter } = settings;
  const viewpoint = makeViewpoint(grid, planeOf(grid));
  const { fine, places, cosine } = viewpoint;
  const pixels = fine.rows * fine.columns;
  const radiances = WAVELENGTHS.map(() => sharedFloat32(pixels));
  const none = { tau: new Float32Array(pixels), temperatureK: places.cirrusX, beta: places.cirrusX };
  const scenery = makeScenery(seed, clutter, makeWinds(seed));
  fillRadiances(viewpoint, scenery, none, radiances, radiances, () => 0);
  return {
    grid,
    fine,
    cirrusX: shared(places.cirrusX),
    cirrusY: shared(places.cirrusY),
    cosine: shared(cosine),
    radiances,
    measured: radiances.map((band) => shared(instrument(band, fine))),
  };
}

function shared(values: Float32Array): Float32Array {
  const copy = sharedFloat32(values.length);
  copy.set(values);
  return copy;
}

/** The frame of a time; `seed` is that of the noise of the instrument. */
export function viewStillSky(
  { grid, fine, cirrusX, cirrusY, cosine, radiances, measured }: StillSky,
  contrails: readonly VisibleContrail[],
  timeMs: number,
  seed: number,
): Frame {
  const layer = drawContrails(contrails, fine, planeOf(grid), cirrusX, cirrusY);
  const [t8, t11, t12] = WAVELENGTHS.map((wavelength, band) => {
    const below = radiances[band] as Float32Array;
    // The instrument is linear in radiance, so that what contrails change can be added to what it sees without them.
    const change = new Float32Array(below.length);
    for (let i = 0; i < change.length; i++) {
      const tau = layer.tau[i] as number;
      if (tau === 0) continue;
      const slant = tau / (cosine[i] as number);
      const clear = below[i] as number;
      change[i] =
        throughContrail(clear, band, layer.temperatureK[i] as number, slant, layer.beta[i] as number) - clear;
    }
    const seen = contrails.length === 0 ? undefined : instrument(change, fine);
    const noise = noiseRadiance(wavelength, NOISE_K[band] as number);
    const clear = measured[band] as Float32Array;
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
