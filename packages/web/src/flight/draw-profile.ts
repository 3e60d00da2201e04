/** Draws the vertical profile of a flight: humidity behind it, its path, and the forcing of each segment below. */
import { toUnit } from '../grid/grid.ts';
import type { Theme } from '../stage/basemap-style.ts';
import { colorAt, cssColor, HUMIDITY_COLORS } from '../stage/color-scale.ts';
import type { CrossSection } from './cross-section.ts';
import type { PlanPoint } from './plan.ts';
import type { ResultPoint } from './result.ts';

export interface ProfileLayout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  /** Height of the section of levels. */
  readonly section: number;
  /** Where the bars of forcing begin, and their height. */
  readonly barsTop: number;
  readonly bars: number;
}

const [LOWEST_FL, HIGHEST_FL] = [240, 450];

export function profileLayout(width: number, height: number): ProfileLayout {
  const bars = Math.round(height * 0.2);
  const section = height - bars - 38;
  return { width, height, left: 44, right: 10, top: 8, section, barsTop: 8 + section + 6, bars };
}

export function timeAt(layout: ProfileLayout, points: readonly ResultPoint[], x: number): number {
  const [first, last] = ends(points);
  const share = (x - layout.left) / (layout.width - layout.left - layout.right);
  return first + Math.min(Math.max(share, 0), 1) * (last - first);
}

export interface Profile {
  readonly points: readonly ResultPoint[];
  readonly section: CrossSection | undefined;
  /** Another profile of the flight; empty for none. */
  readonly proposal: readonly PlanPoint[];
}

export function drawProfile(
  context: CanvasRenderingContext2D,
  layout: ProfileLayout,
  { points, section, proposal }: Profile,
  theme: Theme,
): void {
  const { width, height, left, right, top } = layout;
  const [first, last] = ends(points);
  const x = (timeMs: number) =>
    left + ((timeMs - first) / Math.max(last - first, 1)) * (width - left - right);
  const y = (flightLevel: number) =>
    top + (1 - (flightLevel - LOWEST_FL) / (HIGHEST_FL - LOWEST_FL)) * layout.section;
  const ink = theme === 'dark' ? '#c9d6e2' : '#2b3a48';
  context.clearRect(0, 0, width, height);
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = theme === 'dark' ? '#131c25' : '#eef2f5';
  context.fillRect(left, top, width - left - right, layout.section);
  if (section !== undefined) drawSection(context, section, x, y, ink);
  drawPath(context, layout, points, x, y, theme);
  drawProposal(context, layout, proposal, x, y);
  drawBars(context, layout, points, x, ink);
  drawAxes(context, layout, [first, last], x, y, ink);
}

type Scale = (value: number) => number;

function drawSection(
  context: CanvasRenderingContext2D,
  { levels, times, rhi, sac }: CrossSection,
  x: Scale,
  y: Scale,
  ink: string,
): void {
  const columns = times.length;
  const edge = (k: number) => ((times[Math.max(k - 1, 0)] ?? 0) + (times[Math.min(k, columns - 1)] ?? 0)) / 2;
  levels.forEach((level, row) => {
    const [upper, lower] = [y(level + 5), y(level - 5)];
    for (let k = 0; k < columns; k++) {
      const value = rhi[row * columns + k] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      const [west, east] = [x(edge(k)), x(edge(k + 1))];
      context.fillStyle = cssColor(colorAt(HUMIDITY_COLORS, toUnit(value, HUMIDITY_COLORS.scale)));
      context.fillRect(west, upper, east - west + 0.6, lower - upper + 0.6);
      if (sac[row * columns + k] === 1 && (row + k) % 2 === 0) {
        context.fillStyle = ink;
        context.globalAlpha = 0.45;
        context.fillRect((west + east) / 2 - 0.7, (upper + lower) / 2 - 0.7, 1.4, 1.4);
        context.globalAlpha = 1;
      }
    }
  });
}

function drawPath(
  context: CanvasRenderingContext2D,
  { left, top, width, right, section }: ProfileLayout,
  points: readonly ResultPoint[],
  x: Scale,
  y: Scale,
  theme: Theme,
): void {
  context.save();
  context.beginPath();
  context.rect(left, top, width - left - right, section);
  context.clip();
  const trace = () => {
    context.beginPath();
    points.forEach(({ timeMs, altitudeFt }, k) => {
      if (k === 0) context.moveTo(x(timeMs), y(altitudeFt / 100));
      else context.lineTo(x(timeMs), y(altitudeFt / 100));
    });
    context.stroke();
  };
  context.lineJoin = 'round';
  context.strokeStyle = theme === 'dark' ? '#0b1219' : '#ffffff';
  context.lineWidth = 5;
  trace();
  context.strokeStyle = theme === 'dark' ? '#ffffff' : '#14202b';
  context.lineWidth = 2;
  trace();
  for (const [k, point] of points.entries()) {
    const next = points[k + 1];
    if (next === undefined || point.energyForcing === null || point.energyForcing === 0) continue;
    context.strokeStyle = point.energyForcing > 0 ? '#ff6a4d' : '#4da3ff';
    context.lineWidth = 4;
    context.beginPath();
    context.moveTo(x(point.timeMs), y(point.altitudeFt / 100));
    context.lineTo(x(next.timeMs), y(next.altitudeFt / 100));
    context.stroke();
  }
  context.restore();
}

function drawProposal(
  context: CanvasRenderingContext2D,
  { left, top, width, right, section }: ProfileLayout,
  proposal: readonly PlanPoint[],
  x: Scale,
  y: Scale,
): void {
  context.save();
  context.beginPath();
  context.rect(left, top, width - left - right, section);
  context.clip();
  context.beginPath();
  for (const { timeMs, altitudeFt } of proposal) context.lineTo(x(timeMs), y(altitudeFt / 100));
  context.strokeStyle = '#3ddc84';
  context.lineWidth = 2.5;
  context.setLineDash([7, 4]);
  context.stroke();
  context.restore();
}

function drawBars(
  context: CanvasRenderingContext2D,
  { left, right, width, barsTop, bars }: ProfileLayout,
  points: readonly ResultPoint[],
  x: Scale,
  ink: string,
): void {
  const forcings = points.map(({ energyForcing }) => energyForcing ?? 0);
  const max = Math.max(...forcings, 0);
  const min = Math.min(...forcings, 0);
  const span = max - min || 1;
  const zero = barsTop + (max / span) * bars;
  context.fillStyle = ink;
  context.globalAlpha = 0.35;
  context.fillRect(left, zero - 0.5, width - left - right, 1);
  context.globalAlpha = 1;
  points.forEach(({ timeMs, energyForcing }, k) => {
    const next = points[k + 1];
    if (next === undefined || energyForcing === null || energyForcing === 0) return;
    const length = (energyForcing / span) * bars;
    context.fillStyle = energyForcing > 0 ? '#ff6a4d' : '#4da3ff';
    const thickness = Math.max(x(next.timeMs) - x(timeMs) - 0.5, 1);
    context.fillRect(x(timeMs), Math.min(zero, zero - length), thickness, Math.abs(length));
  });
}

function drawAxes(
  context: CanvasRenderingContext2D,
  { left, width, right, barsTop, bars }: ProfileLayout,
  [first, last]: readonly [number, number],
  x: Scale,
  y: Scale,
  ink: string,
): void {
  context.fillStyle = ink;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const level of [280, 320, 360, 400, 440]) context.fillText(`FL${level}`, left - 6, y(level));
  context.fillText('EF', left - 6, barsTop + bars / 2);
  context.textAlign = 'center';
  context.textBaseline = 'top';
  const hours = (last - first) / 3_600_000;
  const stepMs = (hours > 8 ? 2 : hours > 3 ? 1 : hours > 1.2 ? 0.5 : 0.25) * 3_600_000;
  for (let tick = Math.ceil(first / stepMs) * stepMs; tick <= last; tick += stepMs) {
    if (x(tick) < left + 14 || x(tick) > width - right - 14) continue;
    context.fillText(new Date(tick).toISOString().slice(11, 16), x(tick), barsTop + bars + 5);
  }
}

function ends(points: readonly ResultPoint[]): readonly [number, number] {
  return [points[0]?.timeMs ?? 0, points.at(-1)?.timeMs ?? 1];
}
