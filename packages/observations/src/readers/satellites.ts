import { FrameError, INSTRUMENTS, type Instrument } from '../frame/index.ts';
import { type FixedGrid, fullDisk, GRID_NAMES, type GridName } from '../navigation/index.ts';

/** GOES-19 took the place of GOES-16 in the east. */
const GOES_19_IN_EAST_MS = Date.UTC(2025, 3, 4, 15);

/** Beyond this, a satellite has left its place [deg]. */
const MAX_DRIFT_DEG = 0.1;
/** Largest relative difference of steps, heights and axes from those of the known grid. */
const MAX_DIFFERENCE = 1e-3;

/** The place that a spacecraft looks from at a time, if it is in operation: `G16` was GOES-East until April 2025. */
export function satelliteOf(platform: string, timeMs: number): GridName | undefined {
  switch (platform) {
    case 'G16':
      return timeMs < GOES_19_IN_EAST_MS ? 'goes-east' : undefined;
    case 'G19':
      return timeMs >= GOES_19_IN_EAST_MS ? 'goes-east' : undefined;
    case 'G18':
      return 'goes-west';
    case 'H08':
    case 'H09':
      return 'himawari';
    case 'MTI1':
      return 'mtg-0';
    default:
      return undefined;
  }
}

export interface Identity {
  readonly satellite: GridName;
  readonly instrument: Instrument;
  readonly grid: FixedGrid;
}

/**
 * Which satellite a grid belongs to, by the projection in the imagery itself. The constants of the imagery are kept; those of
 * the known grid only decide whether it is one.
 */
export function identify(
  grid: Omit<FixedGrid, 'name'>,
  { path, platform, timeMs }: { readonly path: string; readonly platform: string; readonly timeMs: number },
): Identity {
  checkPerspective(grid, path);
  const facts = { path, platform, longitude: grid.longitudeOfOrigin };
  const nearby = GRID_NAMES.map(fullDisk).filter(
    (known) => Math.abs(apart(known.longitudeOfOrigin, grid.longitudeOfOrigin)) <= MAX_DRIFT_DEG,
  );
  if (nearby.length === 0) {
    throw new FrameError(
      'satellite-moved',
      `${path}: ${platform} looks from ${grid.longitudeOfOrigin}° E, where no known satellite is (${placesOf()}); use imagery from one of these places`,
      facts,
    );
  }
  const known = nearby.find((candidate) => isSame(candidate, grid));
  if (known === undefined) {
    throw new FrameError(
      'wrong-projection',
      `${path}: the projection or the step of its grid is not that of ${nearby.map(({ name }) => name).join(' or ')}; use full-disk imagery at infrared resolution`,
      { ...facts, sweep: grid.sweep, height: grid.height, step: grid.dx },
    );
  }
  const satellite = known.name as GridName;
  const operated = satelliteOf(platform, timeMs);
  if (/^(G\d\d|H\d\d|MTI\d)$/.test(platform) && operated !== satellite) {
    throw new FrameError(
      'satellite-moved',
      `${path}: ${platform} was not in operation as ${satellite} at ${new Date(timeMs).toISOString()}; use imagery of the satellite that was`,
      facts,
    );
  }
  return { satellite, instrument: INSTRUMENTS[satellite], grid: { ...grid, name: satellite } };
}

function checkPerspective(grid: Omit<FixedGrid, 'name'>, path: string): void {
  const { height, semiMajor, semiMinor, longitudeOfOrigin, x0, y0, dx, dy } = grid;
  const isGeostationary =
    height > 3.4e7 && height < 3.8e7 && semiMajor > 6.3e6 && semiMajor < 6.5e6 && semiMinor > 6.3e6;
  const isAhead = semiMinor <= semiMajor && Math.abs(longitudeOfOrigin) <= 360;
  const isOrdered = dx > 0 && dy < 0 && Math.abs(x0) < 0.2 && Math.abs(y0) < 0.2;
  if (isGeostationary && isAhead && isOrdered) return;
  throw new FrameError(
    'wrong-projection',
    `${path} has no projection of a geostationary satellite (height ${height} m, axes ${semiMajor} and ${semiMinor} m, steps ${dx} and ${dy} rad); use imagery on the fixed grid`,
    { path, height, semiMajor, semiMinor, longitudeOfOrigin, dx, dy },
  );
}

function isSame(known: FixedGrid, grid: Omit<FixedGrid, 'name'>): boolean {
  const differs = (a: number, b: number, max = MAX_DIFFERENCE) => Math.abs(a / b - 1) > max;
  return !(
    known.sweep !== grid.sweep ||
    differs(known.dx, grid.dx) ||
    differs(known.dy, grid.dy) ||
    differs(known.height, grid.height) ||
    // The ellipsoids of the two satellites at 0° differ by five in a million.
    differs(known.semiMajor, grid.semiMajor, 2e-6) ||
    differs(known.semiMinor, grid.semiMinor, 1e-5)
  );
}

function placesOf(): string {
  return GRID_NAMES.map((name) => `${name} ${fullDisk(name).longitudeOfOrigin}°`).join(', ');
}

function apart(a: number, b: number): number {
  return ((((a - b + 180) % 360) + 360) % 360) - 180;
}
