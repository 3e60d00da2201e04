import type { FixedGrid } from './grid.ts';

/** What a pixel of the grid sees. The values are those of the quality flags in L1 files. */
export const VIEW = { withinLimit: 0, offEarth: 1, beyondLimit: 2 } as const;

/** For each pixel, row by row, whether it sees the Earth at a view zenith angle up to the limit [deg]. */
export function viewMask(grid: FixedGrid, maxViewZenithDeg: number): Uint8Array<ArrayBuffer> {
  const { rows, columns, semiMajor, semiMinor } = grid;
  const mask = new Uint8Array(rows * columns);
  const cosX = new Float64Array(columns);
  const sinX = new Float64Array(columns);
  for (let c = 0; c < columns; c++) {
    cosX[c] = Math.cos(grid.x0 + c * grid.dx);
    sinX[c] = Math.sin(grid.x0 + c * grid.dx);
  }
  const k = (semiMajor / semiMinor) ** 2;
  const H = grid.height + semiMajor;
  const C = H * H - semiMajor * semiMajor;
  const minCosine = Math.cos((maxViewZenithDeg * Math.PI) / 180);
  const isSweepX = grid.sweep === 'x';
  for (let r = 0; r < rows; r++) {
    const cosY = Math.cos(grid.y0 + r * grid.dy);
    const sinY = Math.sin(grid.y0 + r * grid.dy);
    for (let c = 0; c < columns; c++) {
      const cx = cosX[c] as number;
      const sx = sinX[c] as number;
      const dx = cx * cosY;
      const dy = isSweepX ? sx : cosY * sx;
      const dz = isSweepX ? cx * sinY : sinY;
      const A = dx * dx + dy * dy + k * dz * dz;
      const quarter = H * H * dx * dx - A * C;
      const rho = (H * dx - Math.sqrt(quarter)) / A;
      const gx = H - rho * dx;
      const gy = rho * dy;
      const gz = k * rho * dz;
      // The normal of the ellipsoid at the point seen, against the direction to the satellite.
      const cosine = (dx * gx - dy * gy - dz * gz) / Math.sqrt(gx * gx + gy * gy + gz * gz);
      mask[r * columns + c] =
        quarter < 0 ? VIEW.offEarth : cosine >= minCosine ? VIEW.withinLimit : VIEW.beyondLimit;
    }
  }
  return mask;
}
