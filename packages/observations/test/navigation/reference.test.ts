import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  apparentPosition,
  crsOf,
  fullDisk,
  GRID_NAMES,
  toLonLat,
  toScanAngle,
  truePosition,
  viewZenithDeg,
} from '../../src/navigation/index.ts';
import { because, isPresent, REFERENCE, readCsv } from '../support/reference.ts';

type NavColumn =
  | 'latitude'
  | 'longitude'
  | 'x_rad'
  | 'y_rad'
  | 'x_m'
  | 'y_m'
  | 'column'
  | 'row'
  | 'view_zenith_deg';
type ParallaxColumn =
  | 'latitude'
  | 'longitude'
  | 'height_m'
  | 'x_rad'
  | 'y_rad'
  | 'ground_latitude'
  | 'ground_longitude';

// The positions of elevated points are rounded to 1e-6 deg, and the heights to 0.1 m.
const ROUNDED_RAD = 3e-9;
const largest = (values: readonly number[]) => Math.max(...values.map(Math.abs));
const apart = (a: number, b: number) => ((((a - b + 180) % 360) + 360) % 360) - 180;

describe.skipIf(!isPresent)(`reference cases of navigation${because}`, () => {
  describe.each(GRID_NAMES)('%s', (name) => {
    const grid = fullDisk(name);
    const points = isPresent ? readCsv<NavColumn>(`navigation/nav_${name}.csv`) : [];
    const elevated = isPresent ? readCsv<ParallaxColumn>(`navigation/parallax_${name}.csv`) : [];

    test('ground points appear at the scan angles, metres, columns and rows of PROJ', () => {
      expect(points.length).toBe(200);
      const off = points.flatMap((p) => {
        const [x, y] = toScanAngle(grid, p.longitude, p.latitude);
        return [
          (x - p.x_rad) / 1e-9,
          (y - p.y_rad) / 1e-9,
          (x * grid.height - p.x_m) / 0.05,
          (y * grid.height - p.y_m) / 0.05,
          ((x - grid.x0) / grid.dx - p.column) / 2e-5,
          ((y - grid.y0) / grid.dy - p.row) / 2e-5,
        ];
      });
      expect(largest(off)).toBeLessThan(1);
    });

    test('scan angles lie at the positions of PROJ', () => {
      const off = points.flatMap((p) => {
        const [lon, lat] = toLonLat(grid, p.x_rad, p.y_rad);
        const tolerance = p.view_zenith_deg > 85 ? 1e-4 : 1e-6;
        return [apart(lon, p.longitude) / tolerance, (lat - p.latitude) / tolerance];
      });
      expect(largest(off)).toBeLessThan(1);
    });

    test('view zenith angles agree', () => {
      expect(
        largest(points.map((p) => viewZenithDeg(grid, p.longitude, p.latitude) - p.view_zenith_deg)),
      ).toBeLessThan(1e-6);
    });

    test('elevated points appear where the cases say', () => {
      expect(elevated.length).toBe(100);
      const off = elevated.flatMap((p) => {
        const [x, y] = toScanAngle(grid, p.longitude, p.latitude, p.height_m);
        const [lon, lat] = apparentPosition(grid, p.longitude, p.latitude, p.height_m);
        return [
          (x - p.x_rad) / ROUNDED_RAD,
          (y - p.y_rad) / ROUNDED_RAD,
          apart(lon, p.ground_longitude) / 1e-5,
          (lat - p.ground_latitude) / 1e-5,
        ];
      });
      expect(largest(off)).toBeLessThan(1);
    });

    test('the true position of an elevated point is found within 0.1 m', () => {
      const metres = elevated.map((p) => {
        const [apparentLon, apparentLat] = apparentPosition(grid, p.longitude, p.latitude, p.height_m);
        const [lon, lat] = truePosition(grid, apparentLon, apparentLat, p.height_m);
        const scale = Math.cos((p.latitude * Math.PI) / 180);
        return 111_320 * Math.hypot(apart(lon, p.longitude) * scale, lat - p.latitude);
      });
      expect(largest(metres)).toBeLessThan(0.1);
    });

    test('the reference system is written as PROJ understands it', () => {
      const report = JSON.parse(readFileSync(new URL('navigation/nav_report.json', REFERENCE), 'utf8'));
      expect(crsOf(grid)).toBe(report[name].crs);
    });
  });
});
