import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { saveFile } from '../save-file.ts';
import { useSession } from '../shell/session.ts';
import { chartColors } from './colors.ts';
import { linesOf } from './lines.ts';
import { pictureOfSvg } from './picture.ts';

/** Space of the text around a chart, and of each further line of it [px]. */
const [CHART_TOP, FOOT] = [44, 22];
const [TITLE_LINE, UNIT_LINE, SOURCE_LINE] = [17, 15, 14];
/** Of a letter of the size 1. */
const LETTER = 0.55;
/** The button is beside the title. */
const BUTTON = 50;
const PIXELS = 2;
const PHONE_WIDTH = 360;

/** How wide a chart is drawn: on a phone less, where its letters would be too small to read. */
export function chartWidth(width: number): number {
  return matchMedia('(max-width: 48rem)').matches ? Math.min(width, PHONE_WIDTH) : width;
}

interface ChartProps {
  readonly title: string;
  /** What the axis or the colours measure, with the unit. */
  readonly unit: string;
  /** Where the numbers come from, and of what time they are. */
  readonly source: string;
  /** What the chart shows, in a sentence. */
  readonly label: string;
  readonly width: number;
  /** Of what is drawn between the title and the source. */
  readonly height: number;
  /** Whether readers can point at or follow parts of it. */
  readonly hasLinks?: boolean;
  readonly children: ComponentChildren;
}

/** A self-explanatory chart: what it shows, its unit and its source, also as a picture. */
export function Chart({ title, unit, source, label, width, height, hasLinks = false, children }: ChartProps) {
  const { theme } = useSession();
  const svg = useRef<SVGSVGElement>(null);
  const [error, setError] = useState<string>();
  const colors = chartColors(theme);
  const linesIn = (room: number, size: number) => (line: string) => line.length * size * LETTER <= room;
  const titles = linesOf(title, linesIn(width - BUTTON, 14));
  const units = linesOf(unit, linesIn(width, 12));
  const sources = linesOf(source, linesIn(width, 11));
  const unitTop = 33 + TITLE_LINE * (titles.length - 1);
  const chartTop = CHART_TOP - 33 + unitTop + UNIT_LINE * (units.length - 1);
  const sourceTop = chartTop + height + FOOT - 6;
  const all = sourceTop + 6 + SOURCE_LINE * (sources.length - 1);
  const save = async () => {
    if (svg.current === null) return;
    try {
      const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
      saveFile(`${name}.png`, 'image/png', await pictureOfSvg(svg.current, width * PIXELS, all * PIXELS));
      setError(undefined);
    } catch (problem) {
      setError((problem as Error).message);
    }
  };
  return (
    <figure class="chart">
      <svg
        ref={svg}
        xmlns="http://www.w3.org/2000/svg"
        viewBox={`0 0 ${width} ${all}`}
        role={hasLinks ? 'group' : 'img'}
        aria-label={label}
        font-family="system-ui, sans-serif"
        font-size="12"
        fill={colors.ink}
      >
        <rect width={width} height={all} fill={colors.back} />
        {titles.map((line, k) => (
          <text key={line} x="0" y={15 + TITLE_LINE * k} font-size="14" font-weight="600">
            {line}
          </text>
        ))}
        {units.map((line, k) => (
          <text key={line} x="0" y={unitTop + UNIT_LINE * k} fill={colors.soft}>
            {line}
          </text>
        ))}
        <g transform={`translate(0 ${chartTop})`}>{children}</g>
        {sources.map((line, k) => (
          <text key={line} x="0" y={sourceTop + SOURCE_LINE * k} font-size="11" fill={colors.soft}>
            {line}
          </text>
        ))}
      </svg>
      <figcaption>
        <button type="button" class="quiet" aria-label={`${title} as PNG`} onClick={save}>
          PNG
        </button>
        {error !== undefined && (
          <span class="error" role="alert">
            {error}
          </span>
        )}
      </figcaption>
    </figure>
  );
}
