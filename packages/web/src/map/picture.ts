/** The map as a picture that explains itself: title, legend and source are drawn into it. */
import { linesOf } from '../chart/lines.ts';
import { toUnit } from '../grid/grid.ts';
import { legendColors } from '../stage/color-scale.ts';
import type { MapStage } from '../stage/stage.ts';
import type { LegendEntry, ScaleEntry, SwatchEntry } from './legend-entries.ts';

export interface PictureParts {
  readonly title: string;
  /** Level, time, source: one line each. */
  readonly lines: readonly string[];
  readonly legend: readonly LegendEntry[];
  /** A chart that goes below the map. */
  readonly chart?: HTMLCanvasElement | null;
}

const [MARGIN, LINE, ENTRY] = [14, 19, 44];
/** The first tick of a scale is as wide to both sides. */
const LEGEND_LEFT = 26;
const SCALE_WIDTH = 240;
const SAMPLE_WIDTH = 30;
const TEXT_FONT = '12px system-ui, sans-serif';
const TITLE_FONT = '600 15px system-ui, sans-serif';

export async function pictureOf(
  stage: MapStage,
  { title, lines, legend, chart = null }: PictureParts,
): Promise<Blob> {
  const map = await stage.snapshot();
  const ratio = devicePixelRatio;
  const width = map.width / ratio;
  const picture = document.createElement('canvas');
  const context = picture.getContext('2d');
  if (context === null) throw new Error('The browser cannot draw the picture.');
  context.font = TEXT_FONT;
  const column = 3 * MARGIN + Math.max(...legend.map((entry) => widthOf(context, entry)));
  const perRow = Math.max(Math.floor((width - LEGEND_LEFT) / column), 1);
  const legendHeight = ENTRY * Math.ceil(legend.length / perRow) + (chart === null ? 0 : MARGIN);
  const fits = (line: string) => context.measureText(line).width <= width - 2 * MARGIN;
  const texts = lines.flatMap((line) => linesOf(line, fits));
  context.font = TITLE_FONT;
  const titles = linesOf(title, fits);
  const head = MARGIN + LINE * (titles.length + texts.length) + 6;
  const [mapHeight, chartHeight] = [
    map.height / ratio,
    chart === null ? 0 : (chart.height / chart.width) * width,
  ];
  picture.width = map.width;
  picture.height = Math.round(ratio * (head + mapHeight + legendHeight + chartHeight + MARGIN));
  const style = getComputedStyle(document.body);
  const ink = style.color;
  context.scale(ratio, ratio);
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, width, picture.height);
  context.fillStyle = ink;
  for (const [k, line] of [...titles, ...texts].entries()) {
    context.font = k < titles.length ? TITLE_FONT : TEXT_FONT;
    context.fillText(line, MARGIN, MARGIN + 12 + LINE * k);
  }
  context.font = TEXT_FONT;
  context.drawImage(map, 0, head, width, mapHeight);
  for (const [k, entry] of legend.entries()) {
    const x = LEGEND_LEFT + (k % perRow) * column;
    const y = head + mapHeight + ENTRY * Math.floor(k / perRow) + 6;
    if ('colors' in entry) drawScale(context, entry, x, y, ink);
    else drawSample(context, entry, x, y, ink);
  }
  if (chart !== null) context.drawImage(chart, 0, head + mapHeight + legendHeight, width, chartHeight);
  return new Promise((resolve, reject) =>
    picture.toBlob((blob) => (blob === null ? reject(new Error('The picture is empty.')) : resolve(blob))),
  );
}

function widthOf(context: CanvasRenderingContext2D, entry: LegendEntry): number {
  const text = context.measureText(entry.title).width;
  return 'colors' in entry ? Math.max(text, SCALE_WIDTH) : sampleWidth(entry) + text;
}

function sampleWidth({ swatch: { lengthPx } }: SwatchEntry): number {
  return lengthPx === undefined ? SAMPLE_WIDTH : lengthPx + 8;
}

function drawScale(
  context: CanvasRenderingContext2D,
  { title, colors, ticks }: ScaleEntry,
  x: number,
  y: number,
  ink: string,
): void {
  context.fillStyle = ink;
  context.fillText(title, x, y + 8);
  const steps = legendColors(colors, 60);
  for (const [k, color] of steps.entries()) {
    context.fillStyle = color;
    context.fillRect(x + (k * SCALE_WIDTH) / steps.length, y + 12, SCALE_WIDTH / steps.length, 9);
  }
  context.fillStyle = ink;
  context.textAlign = 'center';
  for (const [value, label] of ticks) {
    const tick = x + SCALE_WIDTH * toUnit(value, colors.scale);
    context.fillRect(tick - 0.5, y + 20, 1, 4);
    context.fillText(label, tick, y + 35);
  }
  context.textAlign = 'left';
}

function drawSample(
  context: CanvasRenderingContext2D,
  entry: SwatchEntry,
  x: number,
  y: number,
  ink: string,
): void {
  const { title, swatch } = entry;
  const { fill, fillOpacity, line, width, dash, lengthPx } = swatch;
  context.globalAlpha = fillOpacity;
  context.fillStyle = fill;
  if (lengthPx === undefined) context.fillRect(x, y + 12, 22, 12);
  else context.fillRect(x, y + 17, lengthPx, 2);
  context.globalAlpha = 1;
  if (width > 0) {
    context.strokeStyle = line;
    context.lineWidth = width;
    context.setLineDash([...(dash ?? [])]);
    context.strokeRect(x, y + 12, 22, 12);
    context.setLineDash([]);
  }
  context.fillStyle = ink;
  context.fillText(title, x + sampleWidth(entry), y + 22);
}
