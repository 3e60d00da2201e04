/** A frame of a scene: scenery and contrails as the instrument would measure them, and the truth beside it. */
import { sharedFloat32 } from '@contrails/runtime';
import { type Frame, INSTRUMENTS, scanOffsetsOf } from '../frame/index.ts';
import { type FixedGrid, isGridName, toLonLat, viewZenithDeg } from '../navigation/index.ts';
import { type ContrailLayer, drawContrails } from './contrail-layer.ts';
import { gaussianNoise } from './noise.ts';
import { type Plane, toPlane } from './plane.ts';
import type { VisibleContrail } from './plumes.ts';
import { brightnessK, noiseRadiance, radianceOf, throughContrail, WAVELENGTHS } from './radiation.ts';
import { emptyColumn, type Scenery } from './scenery.ts';

/** Pixels are made of this many fine ones in each direction. */
const FINE = 2;
const BLUR_SIGMA = 0.9;
export const NOISE_K = [0.05, 0.04, 0.05] as const;
/** Steps of stored temperatures [K]. */
export const QUANTUM_K = 0.0575;
export const QUANTUM_OFFSET_K = 89.62;
const CLOUD_HEIGHT_M = 1500;
const CIRRUS_HEIGHT_M = 10_000;

export interface View {
  readonly frame: Frame;
  /** What contrails change, without noise [K]: cooling at 12 µm and the difference of 11 and 12 µm. */
  readonly cooling12: Float32Array;
  readonly gainBtd: Float32Array;
  /** 12 µm temperatures without contrails and noise [K]. */
  readonly clear12: Float32Array;
  /** Optical depth of contrails along the line of sight. */
  readonly slantTau: Float32Array;
}

/** What does not change between the frames of a window. */
export interface Viewpoint {
  readonly grid: FixedGrid;
  readonly plane: Plane;
  readonly fine: FixedGrid;
  readonly places: Record<'groundX' | 'groundY' | 'cloudX' | 'cloudY' | 'cirrusX' | 'cirrusY', Float32Array>;
  /** Cosine of the view zenith angle; NaN off the Earth. */
  readonly cosine: Float32Array;
}

export function makeViewpoint(grid: FixedGrid, plane: Plane): Viewpoint {
  const fine: FixedGrid = {
    ...grid,
    dx: grid.dx / FINE,
    dy: grid.dy / FINE,
    x0: grid.x0 - (grid.dx * (FINE - 1)) / (2 * FINE),
    y0: grid.y0 - (grid.dy * (FINE - 1)) / (2 * FINE),
    columns: grid.columns * FINE,
    rows: grid.rows * FINE,
  };
  const pixels = fine.rows * fine.columns;
  const empty = () => new Float32Array(pixels);
  const places = {
    groundX: empty(),
    groundY: empty(),
    cloudX: empty(),
    cloudY: empty(),
    cirrusX: empty(),
    cirrusY: empty(),
  };
  const cosine = empty();
  const heights = [
    [0, places.groundX, places.groundY],
    [CLOUD_HEIGHT_M, places.cloudX, places.cloudY],
    [CIRRUS_HEIGHT_M, places.cirrusX, places.cirrusY],
  ] as const;
  for (let i = 0; i < pixels; i++) {
    const x = fine.x0 + (i % fine.columns) * fine.dx;
    const y = fine.y0 + Math.floor(i / fine.columns) * fine.dy;
    for (const [height, kmX, kmY] of heights) {
      const [lon, lat] = toLonLat(fine, x, y, height);
      const [px, py] = toPlane(plane, lon, lat);
      kmX[i] = px;
      kmY[i] = py;
      if (height === 0) cosine[i] = Math.cos((viewZenithDeg(fine, lon, lat) * Math.PI) / 180);
    }
  }
  return { grid, plane, fine, places, cosine };
}

/** @param seed of the noise of the instrument */
export function viewScene(
  viewpoint: Viewpoint,
  scenery: Scenery,
  contrails: readonly VisibleContrail[],
  timeMs: number,
  startMs: number,
  seed: number,
): View {
  const { grid, plane, fine, places, cosine } = viewpoint;
  const layer = drawContrails(contrails, fine, plane, places.cirrusX, places.cirrusY);
  const offsets = scanOffsetsOf({ grid });
  const pixels = grid.rows * grid.columns;
  const clear = WAVELENGTHS.map(() => new Float32Array(fine.rows * fine.columns));
  const seen = WAVELENGTHS.map(() => new Float32Array(fine.rows * fine.columns));
  fillRadiances(viewpoint, scenery, layer, clear, seen, (row) => {
    const offset = offsets[Math.floor(row / FINE)] as number;
    return (timeMs - startMs) / 1000 + offset;
  });
  const bands = WAVELENGTHS.map((wavelength, band) => {
    const withContrails = instrument(seen[band] as Float32Array, fine);
    const without = instrument(clear[band] as Float32Array, fine);
    const noise = noiseRadiance(wavelength, NOISE_K[band] as number);
    const measured = sharedFloat32(pixels);
    for (let i = 0; i < pixels; i++) {
      const [row, column] = [Math.floor(i / grid.columns), i % grid.columns];
      const radiance = (withContrails[i] as number) + noise * gaussianNoise(column, row, seed + 17 * band);
      measured[i] = quantised(brightnessK(wavelength, radiance));
      withContrails[i] = brightnessK(wavelength, withContrails[i] as number);
      without[i] = brightnessK(wavelength, without[i] as number);
    }
    return { measured, withContrails, without };
  });
  const [b8, b11, b12] = bands as [Band, Band, Band];
  const slantTau = meanOfFine(
    layer.tau.map((tau, i) => (tau > 0 ? tau / (cosine[i] as number) : 0)),
    fine,
  );
  return {
    frame: {
      satellite: grid.name,
      gridName: grid.name,
      time: timeMs,
      grid,
      t8: b8.measured,
      t11: b11.measured,
      t12: b12.measured,
      rows: grid.rows,
      columns: grid.columns,
      ...(isGridName(grid.name) ? { instrument: INSTRUMENTS[grid.name] } : {}),
    },
    cooling12: b12.without.map((value, i) => value - (b12.withContrails[i] as number)),
    gainBtd: b12.without.map(
      (value, i) =>
        (b11.withContrails[i] as number) -
        (b12.withContrails[i] as number) -
        ((b11.without[i] as number) - value),
    ),
    clear12: b12.without,
    slantTau,
  };
}

interface Band {
  readonly measured: Float32Array;
  readonly withContrails: Float32Array;
  readonly without: Float32Array;
}

export function fillRadiances(
  { fine, places, cosine }: Viewpoint,
  scenery: Scenery,
  layer: ContrailLayer,
  clear: readonly Float32Array[],
  seen: readonly Float32Array[],
  secondsOf: (row: number) => number,
): void {
  const column = emptyColumn();
  const place = { groundX: 0, groundY: 0, cloudX: 0, cloudY: 0, cirrusX: 0, cirrusY: 0 };
  const names = Object.keys(place) as (keyof typeof place)[];
  for (let i = 0; i < cosine.length; i++) {
    for (const name of names) place[name] = places[name][i] as number;
    scenery.fill(column, place, secondsOf(Math.floor(i / fine.columns)));
    const mu = cosine[i] as number;
    const slantTau = (layer.tau[i] as number) / mu;
    for (let band = 0; band < WAVELENGTHS.length; band++) {
      const below = radianceOf(column, band, mu);
      (clear[band] as Float32Array)[i] = below;
      (seen[band] as Float32Array)[i] =
        slantTau > 0
          ? throughContrail(below, band, layer.temperatureK[i] as number, slantTau, layer.beta[i] as number)
          : below;
    }
  }
}

export function quantised(temperatureK: number): number {
  return QUANTUM_OFFSET_K + QUANTUM_K * Math.round((temperatureK - QUANTUM_OFFSET_K) / QUANTUM_K);
}

/** The optics blur the fine grid, and a detector takes the mean of its pixels. */
export function instrument(radiance: Float32Array, fine: FixedGrid): Float32Array {
  return meanOfFine(blur(radiance, fine.rows, fine.columns, BLUR_SIGMA), fine);
}

/** A Gaussian mean; at the edge the pixels inside count alone. */
export function blur(values: Float32Array, rows: number, columns: number, sigma: number): Float32Array {
  const radius = Math.ceil(3.5 * sigma);
  const weights = Float64Array.from({ length: radius + 1 }, (_, i) =>
    Math.exp((-i * i) / (2 * sigma * sigma)),
  );
  const along = (from: Float32Array, lines: number, length: number, lineStep: number, step: number) => {
    const to = new Float32Array(from.length);
    for (let line = 0; line < lines; line++) {
      const start = line * lineStep;
      for (let k = 0; k < length; k++) {
        let [sum, total] = [0, 0];
        for (let j = Math.max(0, k - radius); j <= Math.min(length - 1, k + radius); j++) {
          const weight = weights[Math.abs(j - k)] as number;
          sum += weight * (from[start + j * step] as number);
          total += weight;
        }
        to[start + k * step] = sum / total;
      }
    }
    return to;
  };
  return along(along(values, rows, columns, columns, 1), columns, rows, 1, columns);
}

function meanOfFine(values: Float32Array, fine: FixedGrid): Float32Array {
  const columns = fine.columns / FINE;
  const means = new Float32Array(values.length / FINE ** 2);
  for (let i = 0; i < values.length; i++) {
    const row = Math.floor(i / fine.columns / FINE);
    const column = Math.floor((i % fine.columns) / FINE);
    means[row * columns + column] =
      (means[row * columns + column] as number) + (values[i] as number) / FINE ** 2;
  }
  return means;
}
