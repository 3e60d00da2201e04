/** A frame of a scene: scenery and contrails as the instrument would measure them, and the truth beside it. */

import { type Frame, INSTRUMENTS, scanOffsetsOf } from '@contrails/observations/frame';
import { type FixedGrid, isGridName, toLonLat, viewZenithDeg } from '@contrails/observations/navigation';
import { sharedFloat32 } from '@contrails/runtime';
import { type ContrailLayer, drawContrails } from './contrail-layer.ts';
import { gaussianNoise } from './noise.ts';
import { type Plane, toPlane } from './plane.ts';
import type { VisibleContrail } from './plumes.ts';
import { brightnessK, noiseRadiance, radianceOf, throughContrail, WAVELENGTHS } from './radiation.ts';
import { emptyColumn, type Scenery } from './scenery.ts';

/** Pixels are made of this many fine ones in each direction. */
export const FINE = 2;
const BLUR_SIGMA = 0.9;
const NOISE_K = [0.05, 0.04, 0.05] as const;
/** Steps of stored temperatures [K]. */
export const QUANTUM_K = 0.0575;
export const QUANTUM_OFFSET_K = 89.62;
const CLOUD_HEIGHT_M = 1500;
export const CIRRUS_HEIGHT_M = 10_000;

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
  readonly positions: Record<
    'groundX' | 'groundY' | 'cloudX' | 'cloudY' | 'cirrusX' | 'cirrusY',
    Float32Array
  >;
  /** Cosine of the view zenith angle; NaN off the Earth. */
  readonly cosine: Float32Array;
}

/** The grid whose pixels those of an image are made of. */
export function fineGrid(grid: FixedGrid): FixedGrid {
  return {
    ...grid,
    dx: grid.dx / FINE,
    dy: grid.dy / FINE,
    x0: grid.x0 - (grid.dx * (FINE - 1)) / (2 * FINE),
    y0: grid.y0 - (grid.dy * (FINE - 1)) / (2 * FINE),
    columns: grid.columns * FINE,
    rows: grid.rows * FINE,
  };
}

/** @param fine grid on which ground and clouds are looked at */
export function makeViewpoint(grid: FixedGrid, plane: Plane, fine = fineGrid(grid)): Viewpoint {
  const pixels = fine.rows * fine.columns;
  const empty = () => new Float32Array(pixels);
  const positions = {
    groundX: empty(),
    groundY: empty(),
    cloudX: empty(),
    cloudY: empty(),
    cirrusX: empty(),
    cirrusY: empty(),
  };
  const cosine = empty();
  const heights = [
    [0, positions.groundX, positions.groundY],
    [CLOUD_HEIGHT_M, positions.cloudX, positions.cloudY],
    [CIRRUS_HEIGHT_M, positions.cirrusX, positions.cirrusY],
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
  return { grid, plane, fine, positions, cosine };
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
  const { grid, plane, fine, positions, cosine } = viewpoint;
  const layer = drawContrails(contrails, fine, plane, positions.cirrusX, positions.cirrusY);
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
    ...changesOf(b11, b12),
    slantTau,
  };
}

/** What contrails change, from images with and without them. */
export function changesOf(
  b11: Pick<Band, 'withContrails' | 'without'>,
  b12: Pick<Band, 'withContrails' | 'without'>,
): Pick<View, 'cooling12' | 'gainBtd' | 'clear12'> {
  return {
    cooling12: b12.without.map((value, i) => value - (b12.withContrails[i] as number)),
    gainBtd: b12.without.map(
      (value, i) =>
        (b11.withContrails[i] as number) -
        (b12.withContrails[i] as number) -
        ((b11.without[i] as number) - value),
    ),
    clear12: b12.without,
  };
}

/** A band as it is measured, and without noise. */
export interface Band {
  readonly measured: Float32Array;
  readonly withContrails: Float32Array;
  readonly without: Float32Array;
}

function fillRadiances(
  { fine, positions, cosine }: Viewpoint,
  scenery: Scenery,
  layer: ContrailLayer,
  clear: readonly Float32Array[],
  seen: readonly Float32Array[],
  secondsOf: (row: number) => number,
): void {
  const column = emptyColumn();
  const position = { groundX: 0, groundY: 0, cloudX: 0, cloudY: 0, cirrusX: 0, cirrusY: 0 };
  const names = Object.keys(position) as (keyof typeof position)[];
  for (let i = 0; i < cosine.length; i++) {
    for (const name of names) position[name] = positions[name][i] as number;
    scenery.fillGround(column, position);
    scenery.fillClouds(column, position, secondsOf(Math.floor(i / fine.columns)));
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
  return smooth(radiance, fine.rows, fine.columns, BLUR_SIGMA, FINE);
}

/** A Gaussian mean; at the edge the pixels inside count alone. */
export function blur(values: Float32Array, rows: number, columns: number, sigma: number): Float32Array {
  return smooth(values, rows, columns, sigma, 1);
}

/** Means of `step` × `step` pixels of a blurred image. Rows of nothing but zeros cost nothing. */
function smooth(
  values: Float32Array,
  rows: number,
  columns: number,
  sigma: number,
  step: number,
): Float32Array {
  const [acrossPlan, downPlan] = [planMeans(columns, sigma, step), planMeans(rows, sigma, step)];
  const width = acrossPlan.length;
  const narrow = new Float32Array(rows * width);
  const isEmpty = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) {
    const line = values.subarray(row * columns, (row + 1) * columns);
    if (line.every((value) => value === 0)) {
      isEmpty[row] = 1;
      continue;
    }
    for (let k = 0; k < width; k++) {
      const { first, weights } = acrossPlan[k] as MeanPlan;
      let sum = 0;
      for (let t = 0; t < weights.length; t++) sum += (weights[t] as number) * (line[first + t] as number);
      narrow[row * width + k] = sum;
    }
  }
  const means = new Float32Array(downPlan.length * width);
  downPlan.forEach(({ first, weights }, k) => {
    for (let t = 0; t < weights.length; t++) {
      if (isEmpty[first + t] === 1) continue;
      const [from, weight] = [(first + t) * width, weights[t] as number];
      for (let c = 0; c < width; c++) {
        means[k * width + c] = (means[k * width + c] as number) + weight * (narrow[from + c] as number);
      }
    }
  });
  return means;
}

/** Which pixels of a line a mean is made of. */
interface MeanPlan {
  readonly first: number;
  readonly weights: Float64Array;
}

function planMeans(length: number, sigma: number, step: number): MeanPlan[] {
  const radius = Math.ceil(3.5 * sigma);
  const gauss = (distance: number) => Math.exp((-distance * distance) / (2 * sigma * sigma));
  return Array.from({ length: Math.floor(length / step) }, (_, k) => {
    const first = Math.max(0, k * step - radius);
    const last = Math.min(length - 1, k * step + step - 1 + radius);
    const weights = new Float64Array(last - first + 1);
    for (let pixel = k * step; pixel < (k + 1) * step; pixel++) {
      let total = 0;
      const [from, to] = [Math.max(first, pixel - radius), Math.min(last, pixel + radius)];
      for (let i = from; i <= to; i++) total += gauss(i - pixel);
      for (let i = from; i <= to; i++) {
        weights[i - first] = (weights[i - first] as number) + gauss(i - pixel) / (total * step);
      }
    }
    return { first, weights };
  });
}

export function meanOfFine(values: Float32Array, fine: FixedGrid): Float32Array {
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
