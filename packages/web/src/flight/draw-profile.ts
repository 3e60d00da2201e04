/**
 * Draws the vertical profile of a flight: humidity behind it, its path, and the forcing of each minute below, with axes,
 * units and a colour scale in the picture itself.
 */
import { toUnit } from '../grid/grid.ts';
import { HUMIDITY_ENTRY } from '../map/legend-entries.ts';
import type { Theme } from '../stage/basemap-style.ts';
import { colorAt, cssColor, HUMIDITY_COLORS, legendColors } from '../stage/color-scale.ts';
import { energyUnit, withMinus } from '../text.ts';
import type { CrossSection } from './cross-section.ts';
import type { PlanPoint } from './plan.ts';
import type { ResultPoint } from './result.ts';

export interface ProfileLayout {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  /** Where the section of levels begins, and its height. */
  readonly top: number;
  readonly section: number;
  /** Where the bars of forcing begin, and their height. */
  readonly barsTop: number;
  readonly bars: number;
}

const [MIN_FL, MAX_FL] = [240, 450];
const WARMS = '#ff6a4d';
const COOLS = '#4da3ff';
const PROPOSED = '#3ddc84';
const FONT = '11px system-ui, sans-serif';
/** Below this width the key has two lines [px]. */
const NARROW = 620;
const KEY_LINE = 28;

export function profileLayout(width: number, height: number): ProfileLayout {
  const top = width < NARROW ? 2 * KEY_LINE : KEY_LINE;
  const free = height - top - 44;
  const bars = Math.round(free * 0.24);
  const section = free - bars;
  return { width, height, left: 56, right: 34, top, section, barsTop: top + section + 20, bars };
}

export function timeAt(layout: ProfileLayout, points: readonly ResultPoint[], x: number): number {
  const [first, last] = ends(points);
  const share = (x - layout.left) / (layout.width - layout.left - layout.right);
  return first + Math.min(Math.max(share, 0), 1) * (last - first);
}

/** Where a time is on the chart [px]. */
export function xOf(layout: ProfileLayout, points: readonly ResultPoint[], timeMs: number): number {
  const [first, last] = ends(points);
  return (
    layout.left + ((timeMs - first) / Math.max(last - first, 1)) * (layout.width - layout.left - layout.right)
  );
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
  const x = (timeMs: number) => xOf(layout, points, timeMs);
  const y = (flightLevel: number) => top + (1 - (flightLevel - MIN_FL) / (MAX_FL - MIN_FL)) * layout.section;
  const ink = theme === 'dark' ? '#c9d6e2' : '#2b3a48';
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  context.fillStyle = theme === 'dark' ? '#131c25' : '#eef2f5';
  context.fillRect(left, top, width - left - right, layout.section);
  drawKey(context, layout, proposal.length > 0, ink);
  if (section !== undefined) drawSection(context, section, x, y, ink);
  drawPath(context, layout, points, x, y, theme);
  drawProposal(context, layout, proposal, x, y);
  drawBars(context, layout, points, x, ink);
  drawAxes(context, layout, [first, last], x, y, ink);
}

type Scale = (value: number) => number;

const SCALE_WIDTH = 132;

/** The colour scale of the section, then what dots and lines mean. */
function drawKey(
  context: CanvasRenderingContext2D,
  { left, width }: ProfileLayout,
  hasProposal: boolean,
  ink: string,
): void {
  const steps = legendColors(HUMIDITY_COLORS, 44);
  const label = 'RHi, %';
  context.fillStyle = ink;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(label, left, 7);
  const from = left + context.measureText(label).width + 8;
  for (const [k, color] of steps.entries()) {
    context.fillStyle = color;
    context.fillRect(from + (k * SCALE_WIDTH) / steps.length, 2, SCALE_WIDTH / steps.length, 9);
  }
  context.fillStyle = ink;
  context.textAlign = 'center';
  for (const [value, text] of HUMIDITY_ENTRY.ticks) {
    const tick = from + SCALE_WIDTH * toUnit(value, HUMIDITY_COLORS.scale);
    context.fillRect(tick - 0.5, 9, 1, 4);
    context.fillText(text, tick, 19);
  }
  const isNarrow = width < NARROW;
  let at = isNarrow ? 8 : from + SCALE_WIDTH + 26;
  const line = isNarrow ? KEY_LINE + 10 : 10;
  const samples: readonly (readonly [string, string])[] = [
    ['dots', 'contrails form'],
    [WARMS, 'warms'],
    [COOLS, 'cools'],
    ...(hasProposal ? ([[PROPOSED, 'proposed']] as const) : []),
  ];
  context.textAlign = 'left';
  for (const [kind, text] of samples) {
    context.fillStyle = kind === 'dots' ? ink : kind;
    if (kind === 'dots') for (const dx of [0, 5, 10]) context.fillRect(at + dx, line - 1, 2, 2);
    else context.fillRect(at, line - 2, 14, 4);
    context.fillStyle = ink;
    context.fillText(text, at + 18, line);
    at += 18 + context.measureText(text).width + 14;
  }
}

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
    const [upper, lower] = [Math.round(y(level + 5)), Math.round(y(level - 5))];
    for (let k = 0; k < columns; k++) {
      const value = rhi[row * columns + k] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      // Whole pixels: cells that are not opaque must neither overlap nor leave gaps.
      const [west, east] = [Math.round(x(edge(k))), Math.round(x(edge(k + 1)))];
      context.fillStyle = cssColor(colorAt(HUMIDITY_COLORS, toUnit(value, HUMIDITY_COLORS.scale)));
      context.fillRect(west, upper, east - west, lower - upper);
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
    context.strokeStyle = point.energyForcing > 0 ? WARMS : COOLS;
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
  context.strokeStyle = PROPOSED;
  context.lineWidth = 2.5;
  context.setLineDash([7, 4]);
  context.stroke();
  context.restore();
}

/** Bars of every minute with an axis in the unit that suits the largest. */
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
    context.fillStyle = energyForcing > 0 ? WARMS : COOLS;
    const thickness = Math.max(x(next.timeMs) - x(timeMs) - 0.5, 1);
    context.fillRect(x(timeMs), Math.min(zero, zero - length), thickness, Math.abs(length));
  });
  const { unit, factor } = energyUnit(Math.max(max, -min));
  context.fillStyle = ink;
  context.textAlign = 'left';
  context.textBaseline = 'bottom';
  const isEmpty = max === 0 && min === 0;
  const title = isEmpty
    ? 'No lasting contrail: energy forcing is 0'
    : `Energy forcing of each minute, ${unit}`;
  context.fillText(title, left, barsTop - 4);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const label = (value: number) => (value === 0 ? '0' : String(Number((value / factor).toPrecision(2))));
  const ticks = isEmpty ? [0] : [...(max > 0 ? [max] : []), 0, ...(min < 0 ? [min] : [])];
  let before = Number.NEGATIVE_INFINITY;
  for (const value of ticks) {
    const at = zero - (value / span) * bars;
    // Two ticks must not cover each other.
    if (at - before < 10) continue;
    before = at;
    context.fillText(withMinus(label(value)), left - 8, at);
    context.fillRect(left - 5, at - 0.5, 5, 1);
  }
}

function drawAxes(
  context: CanvasRenderingContext2D,
  { left, width, right, top, section, barsTop, bars }: ProfileLayout,
  [first, last]: readonly [number, number],
  x: Scale,
  y: Scale,
  ink: string,
): void {
  context.fillStyle = ink;
  context.fillRect(left - 1, top, 1, section);
  context.fillRect(left - 1, barsTop, 1, bars);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const step = section < 90 ? 80 : 40;
  for (let level = 280; level <= 440; level += step) {
    context.fillText(`FL${level}`, left - 8, y(level));
    context.fillRect(left - 5, y(level) - 0.5, 5, 1);
  }
  context.textAlign = 'center';
  context.textBaseline = 'top';
  const hours = (last - first) / 3_600_000;
  const wide = width < NARROW ? 2 : 1;
  const stepMs =
    wide * (hours > 8 ? 2 : hours > 3 ? 1 : hours > 1.2 ? 0.5 : hours > 0.5 ? 0.25 : 1 / 30) * 3_600_000;
  const floor = barsTop + bars;
  for (let tick = Math.ceil(first / stepMs) * stepMs; tick <= last; tick += stepMs) {
    context.fillRect(x(tick) - 0.5, floor, 1, 4);
    if (x(tick) > width - right - 4) continue;
    context.fillText(new Date(tick).toISOString().slice(11, 16), x(tick), floor + 6);
  }
  context.textAlign = 'right';
  context.fillText('UTC', width - 4, floor + 6);
}

function ends(points: readonly ResultPoint[]): readonly [number, number] {
  return [points[0]?.timeMs ?? 0, points.at(-1)?.timeMs ?? 1];
}
