/** What a perfect detector would find in a frame of a scene. */
import { type FixedGrid, toScanAngle } from '@contrails/observations/navigation';
import type { VisibleContrail, VisiblePoint } from './plumes.ts';
import { blur, type View } from './view.ts';

/** A visible piece of a contrail. */
export interface TrueLine {
  readonly contrail: number;
  readonly flight: string;
  /** Columns and rows of the window. */
  readonly pixels: readonly [column: number, row: number][];
  /** When the flight was there [ms since 1970]. */
  readonly flightTimesMs: readonly number[];
  readonly lengthPx: number;
  readonly ageMinutes: number;
  /** Means along the line [K]. */
  readonly cooling12: number;
  readonly gainBtd: number;
  /** Cooling over the clutter around the line. */
  readonly contrast: number;
  /** Whether an imager of this kind can show it. */
  readonly observable: boolean;
}

export interface Truth {
  /** 1 where a contrail changes the image. */
  readonly mask: Uint8Array;
  readonly lines: readonly TrueLine[];
}

const MIN_SLANT_TAU = 0.02;
const MIN_COOLING_K = 0.15;
const MIN_GAIN_K = 0.02;
const MAX_GAP_PX = 4;
const MIN_LINE_PX = 6;
const CLUTTER_SIGMA_PX = 6;
const CLUTTER_FLOOR_K = 0.15;
const OBSERVABLE = { lengthPx: 15, cooling12: 0.5, gainBtd: 0.12, contrast: 0.6 };
const STEP_PX = 0.5;
/** Vertices of lines are this far apart [px]. */
const VERTEX_PX = 8;

export function truthOf(view: View, contrails: readonly VisibleContrail[]): Truth {
  const { grid } = view.frame;
  const mask = Uint8Array.from(view.cooling12, (cooling, i) =>
    cooling >= MIN_COOLING_K &&
    (view.gainBtd[i] as number) >= MIN_GAIN_K &&
    (view.slantTau[i] as number) >= MIN_SLANT_TAU
      ? 1
      : 0,
  );
  const clutter = localDeviation(view.clear12, grid);
  return { mask, lines: contrails.flatMap((contrail) => linesOf(contrail, view, mask, clutter)) };
}

/** Standard deviation in a Gaussian window. */
function localDeviation(values: Float32Array, { rows, columns }: FixedGrid): Float32Array {
  // About the mean of the image: squares of temperatures would lose the digits that matter.
  const centre = values.reduce((sum, value) => sum + value, 0) / values.length;
  const centred = values.map((value) => value - centre);
  const mean = blur(centred, rows, columns, CLUTTER_SIGMA_PX);
  const squares = blur(
    centred.map((value) => value * value),
    rows,
    columns,
    CLUTTER_SIGMA_PX,
  );
  return squares.map((square, i) => Math.sqrt(Math.max(0, square - (mean[i] as number) ** 2)));
}

interface Sample {
  readonly column: number;
  readonly row: number;
  readonly flightTimeMs: number;
  readonly ageS: number;
  readonly isOnMask: boolean;
  readonly pixel: number;
}

function linesOf(contrail: VisibleContrail, view: View, mask: Uint8Array, clutter: Float32Array): TrueLine[] {
  const samples = centreline(contrail.points, view.frame.grid, mask);
  const maxGap = MAX_GAP_PX / STEP_PX;
  const lines: TrueLine[] = [];
  let run: Sample[] = [];
  let gap = 0;
  const finish = () => {
    const line = lineOf(contrail, run.slice(0, run.length - gap), view, clutter);
    if (line !== undefined) lines.push(line);
    run = [];
    gap = 0;
  };
  for (const sample of samples) {
    if (sample.isOnMask) {
      run.push(sample);
      gap = 0;
    } else if (run.length > 0) {
      run.push(sample);
      gap++;
      if (gap > maxGap || sample.pixel < 0) finish();
    }
  }
  finish();
  return lines;
}

/** Points of the centreline half a pixel apart; pixel -1 is outside the window. */
function centreline(points: readonly VisiblePoint[], grid: FixedGrid, mask: Uint8Array): Sample[] {
  const places = points.map((point) => {
    const [x, y] = toScanAngle(grid, point.lon, point.lat, point.heightM);
    return { column: (x - grid.x0) / grid.dx, row: (y - grid.y0) / grid.dy, point };
  });
  const samples: Sample[] = [];
  for (let i = 1; i < places.length; i++) {
    const [a, b] = [places[i - 1], places[i]];
    if (a === undefined || b === undefined) continue;
    const length = Math.hypot(b.column - a.column, b.row - a.row);
    if (!Number.isFinite(length)) continue;
    const steps = Math.max(1, Math.round(length / STEP_PX));
    for (let k = 0; k < steps; k++) {
      const t = k / steps;
      const column = a.column + (b.column - a.column) * t;
      const row = a.row + (b.row - a.row) * t;
      const [c, r] = [Math.round(column), Math.round(row)];
      const isInside = c >= 0 && r >= 0 && c < grid.columns && r < grid.rows;
      const pixel = isInside ? r * grid.columns + c : -1;
      samples.push({
        column,
        row,
        flightTimeMs: a.point.flightTimeMs + (b.point.flightTimeMs - a.point.flightTimeMs) * t,
        ageS: a.point.ageS + (b.point.ageS - a.point.ageS) * t,
        isOnMask: isInside && mask[pixel] === 1,
        pixel,
      });
    }
  }
  return samples;
}

function lineOf(
  contrail: VisibleContrail,
  samples: readonly Sample[],
  view: View,
  clutter: Float32Array,
): TrueLine | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  let lengthPx = 0;
  const vertices = [first];
  let since = 0;
  for (let i = 1; i < samples.length; i++) {
    const [a, b] = [samples[i - 1] as Sample, samples[i] as Sample];
    const step = Math.hypot(b.column - a.column, b.row - a.row);
    lengthPx += step;
    since += step;
    if (since >= VERTEX_PX || b === last) {
      vertices.push(b);
      since = 0;
    }
  }
  if (lengthPx < MIN_LINE_PX) return undefined;
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const at = (values: Float32Array) => mean(({ pixel }) => values[pixel] as number);
  const cooling12 = at(view.cooling12);
  const gainBtd = at(view.gainBtd);
  const contrast = cooling12 / (at(clutter) + CLUTTER_FLOOR_K);
  return {
    contrail: contrail.id,
    flight: contrail.flight,
    pixels: vertices.map(({ column, row }) => [column, row]),
    flightTimesMs: vertices.map(({ flightTimeMs }) => flightTimeMs),
    lengthPx,
    ageMinutes: mean(({ ageS }) => ageS) / 60,
    cooling12,
    gainBtd,
    contrast,
    observable:
      lengthPx >= OBSERVABLE.lengthPx &&
      cooling12 >= OBSERVABLE.cooling12 &&
      gainBtd >= OBSERVABLE.gainBtd &&
      contrast >= OBSERVABLE.contrast,
  };
}
