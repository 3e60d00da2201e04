import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { saveFile } from '../save-file.ts';
import { useSession } from '../shell/session.ts';
import { chartColors } from './colors.ts';
import { pictureOfSvg } from './picture.ts';

/** Space of the text around a chart [px]. */
const CHART_TOP = 44;
const FOOT = 22;
const PIXELS = 2;

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

/** A drawing that says by itself what it shows, in which unit and from where, also as a picture. */
export function Chart({ title, unit, source, label, width, height, hasLinks = false, children }: ChartProps) {
  const { theme } = useSession();
  const svg = useRef<SVGSVGElement>(null);
  const [error, setError] = useState<string>();
  const colors = chartColors(theme);
  const all = CHART_TOP + height + FOOT;
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
        <text x="0" y="15" font-size="14" font-weight="600">
          {title}
        </text>
        <text x="0" y="33" fill={colors.soft}>
          {unit}
        </text>
        <g transform={`translate(0 ${CHART_TOP})`}>{children}</g>
        <text x="0" y={all - 6} font-size="11" fill={colors.soft}>
          {source}
        </text>
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
