import { useSession } from '../shell/session.ts';
import { Chart, chartWidth } from './chart.tsx';
import { chartColors } from './colors.ts';

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly text: string;
}

interface BarsProps {
  readonly title: string;
  readonly unit: string;
  readonly source: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 460;
const ROW = 20;
const NAMES = 110;
const VALUES = 80;

/** Horizontal bars with their names and values; those of what cools go to the left of zero. */
export function Bars({ title, unit, source, bars }: BarsProps) {
  const { theme } = useSession();
  const colors = chartColors(theme);
  const [least, most] = [
    Math.min(0, ...bars.map(({ value }) => value)),
    Math.max(0, ...bars.map(({ value }) => value)),
  ];
  const width = chartWidth(WIDTH);
  const scale = (width - NAMES - VALUES) / (most - least || 1);
  const x = (value: number) => NAMES + (value - least) * scale;
  const [first] = bars;
  const label =
    first === undefined
      ? `${title}: nothing to show.`
      : `${title}, ${unit}: ${bars.length} bars, first ${first.name} with ${first.text}.`;
  return (
    <Chart
      title={title}
      unit={unit}
      source={source}
      label={label}
      width={width}
      height={bars.length * ROW + 4}
    >
      {bars.map(({ name, value, text }, k) => (
        <g key={name} transform={`translate(0 ${k * ROW})`}>
          <text x={NAMES - 8} y="14" text-anchor="end">
            {name}
          </text>
          <rect
            x={Math.min(x(0), x(value))}
            y="3"
            width={Math.max(Math.abs(value) * scale, 0.5)}
            height={ROW - 6}
            fill={value < 0 ? colors.cooling : colors.warming}
          />
          <text x={width} y="14" text-anchor="end" fill={colors.soft}>
            {text}
          </text>
        </g>
      ))}
      <line x1={x(0)} x2={x(0)} y1="0" y2={bars.length * ROW} stroke={colors.line} />
    </Chart>
  );
}
