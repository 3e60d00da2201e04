/** Contrails drawn onto the fine grid of a scene. */
import { type FixedGrid, toLonLat, toScanAngle } from '@contrails/observations/navigation';
import { type Plane, toPlane } from './plane.ts';
import type { VisibleContrail } from './plumes.ts';

/** Per pixel: vertical optical depth at 11 µm, and temperature and 12 µm ratio weighted with it. */
export interface ContrailLayer {
  readonly tau: Float32Array;
  readonly temperatureK: Float32Array;
  readonly beta: Float32Array;
}

/** Distances are taken at this height, whatever a contrail's height: its pixels already have its parallax [m]. */
const LAYER_HEIGHT_M = 10_000;
const REACH_SIGMAS = 3.5;

interface Corner {
  readonly column: number;
  readonly row: number;
  readonly x: number;
  readonly y: number;
  readonly tau: number;
  readonly sigmaKm: number;
  readonly temperatureK: number;
}

export function drawContrails(
  contrails: readonly VisibleContrail[],
  grid: FixedGrid,
  plane: Plane,
  kmX: Float32Array,
  kmY: Float32Array,
): ContrailLayer {
  const pixels = grid.rows * grid.columns;
  const layer = {
    tau: new Float32Array(pixels),
    temperatureK: new Float32Array(pixels),
    beta: new Float32Array(pixels),
  };
  for (const contrail of contrails) {
    // Where two stretches of one contrail meet, the larger counts, not the sum.
    const own = new Map<number, [tau: number, temperatureK: number]>();
    const corners = contrail.points.map((point): Corner => {
      const [angleX, angleY] = toScanAngle(grid, point.lon, point.lat, point.heightM);
      const [x, y] = toPlane(plane, ...toLonLat(grid, angleX, angleY, LAYER_HEIGHT_M));
      const column = (angleX - grid.x0) / grid.dx;
      const row = (angleY - grid.y0) / grid.dy;
      const { tau, sigmaKm, temperatureK } = point;
      return { column, row, x, y, tau, sigmaKm, temperatureK };
    });
    for (let i = 1; i < corners.length; i++) {
      drawStretch(own, corners[i - 1] as Corner, corners[i] as Corner, grid, kmX, kmY);
    }
    for (const [pixel, [tau, temperatureK]] of own) {
      const sum = (layer.tau[pixel] as number) + tau;
      const share = tau / sum;
      layer.tau[pixel] = sum;
      layer.temperatureK[pixel] = mix(layer.temperatureK[pixel] as number, temperatureK, share);
      layer.beta[pixel] = mix(layer.beta[pixel] as number, contrail.beta, share);
    }
  }
  return layer;
}

function drawStretch(
  own: Map<number, [tau: number, temperatureK: number]>,
  a: Corner,
  b: Corner,
  grid: FixedGrid,
  kmX: Float32Array,
  kmY: Float32Array,
): void {
  if (!Number.isFinite(a.column + a.row + b.column + b.row)) return;
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length2 = dx * dx + dy * dy;
  const reachKm = REACH_SIGMAS * Math.max(a.sigmaKm, b.sigmaKm);
  const pixelKm = Math.sqrt(length2) / Math.max(1e-6, Math.hypot(b.column - a.column, b.row - a.row));
  if (length2 === 0) return;
  // Pixels are longer in one direction than in the other, by up to three times at the limit of the view.
  const reach = (3 * reachKm) / pixelKm + 1;
  const rowFrom = Math.max(0, Math.floor(Math.min(a.row, b.row) - reach));
  const rowTo = Math.min(grid.rows - 1, Math.ceil(Math.max(a.row, b.row) + reach));
  const columnFrom = Math.max(0, Math.floor(Math.min(a.column, b.column) - reach));
  const columnTo = Math.min(grid.columns - 1, Math.ceil(Math.max(a.column, b.column) + reach));
  for (let row = rowFrom; row <= rowTo; row++) {
    for (let column = columnFrom; column <= columnTo; column++) {
      const pixel = row * grid.columns + column;
      const px = (kmX[pixel] as number) - a.x;
      const py = (kmY[pixel] as number) - a.y;
      const t = Math.min(1, Math.max(0, (px * dx + py * dy) / length2));
      const distance2 = (px - t * dx) ** 2 + (py - t * dy) ** 2;
      if (!(distance2 <= reachKm * reachKm)) continue;
      const sigma = mix(a.sigmaKm, b.sigmaKm, t);
      const tau = mix(a.tau, b.tau, t) * Math.exp(-distance2 / (2 * sigma * sigma));
      const present = own.get(pixel);
      if (tau > 0 && (present === undefined || tau > present[0])) {
        own.set(pixel, [tau, mix(a.temperatureK, b.temperatureK, t)]);
      }
    }
  }
}

function mix(a: number, b: number, t: number): number {
  return a + (b - a) * t;
}
