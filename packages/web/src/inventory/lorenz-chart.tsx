import { Chart, chartWidth } from '../chart/chart.tsx';
import { chartColors } from '../chart/colors.ts';
import { useSession } from '../shell/session.ts';
import { concentrationOf, type FlightRow, lorenzCurve } from './day-table.ts';

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [460, 220, 42, 34];
const TICKS = [0, 0.25, 0.5, 0.75, 1];

interface LorenzChartProps {
  readonly rows: readonly FlightRow[];
  readonly source: string;
}

/** How few flights cause how much of the warming. */
export function LorenzChart({ rows, source }: LorenzChartProps) {
  const { theme } = useSession();
  const colors = chartColors(theme);
  const curve = lorenzCurve(rows);
  const concentration = concentrationOf(rows);
  if (concentration === undefined) return <p class="hint">No flight of this selection warms.</p>;
  const all = chartWidth(WIDTH);
  const [width, height] = [all - LEFT - 12, HEIGHT - BOTTOM - 4];
  const x = (share: number) => LEFT + share * width;
  const y = (share: number) => 4 + (1 - share) * height;
  const points = curve.map(([flights, warming]) => `${x(flights)},${y(warming)}`).join(' ');
  const [flights, warming] = [concentration.share, concentration.warming];
  const parts = [
    `${(100 * flights).toFixed(1)} % of the flights`,
    `${Math.round(100 * warming)} % of the warming`,
  ];
  return (
    <Chart
      title="How the warming is spread over flights"
      unit="Warming energy forcing, % of all, of the flights that warm most"
      source={source}
      label={`${parts.join(' cause ')} by contrails.`}
      width={all}
      height={HEIGHT}
    >
      {TICKS.map((tick) => (
        <g key={tick}>
          <line x1={x(0)} x2={x(1)} y1={y(tick)} y2={y(tick)} stroke={colors.line} />
          <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end" fill={colors.soft}>
            {100 * tick}
          </text>
          <text x={x(tick)} y={HEIGHT - BOTTOM + 18} text-anchor="middle" fill={colors.soft}>
            {100 * tick}
          </text>
        </g>
      ))}
      <text x={x(0.5)} y={HEIGHT - 2} text-anchor="middle" fill={colors.soft}>
        Flights, %
      </text>
      <line x1={x(0)} x2={x(1)} y1={y(0)} y2={y(1)} stroke={colors.soft} stroke-dasharray="4 4" />
      <polyline points={points} fill="none" stroke={colors.warming} stroke-width="2" />
      <line
        x1={x(flights)}
        x2={x(flights)}
        y1={y(0)}
        y2={y(warming)}
        stroke={colors.ink}
        stroke-dasharray="2 3"
      />
      <circle cx={x(flights)} cy={y(warming)} r="4" fill={colors.ink} />
      {parts.map((part, k) => (
        <text
          key={part}
          x={x(flights) + (flights < 0.5 ? 8 : -8)}
          y={y(warming) + 18 + 15 * k}
          text-anchor={flights < 0.5 ? 'start' : 'end'}
        >
          {part}
        </text>
      ))}
    </Chart>
  );
}
