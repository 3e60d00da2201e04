import { Chart, chartWidth } from '../chart/chart.tsx';
import { type ChartColors, chartColors } from '../chart/colors.ts';
import { SkillAxes } from '../chart/skill-axes.tsx';
import { type SkillScale, skillScale } from '../chart/skill-scale.ts';
import { useSession } from '../shell/session.ts';
import { type CurvePoint, curveOf, type PublishedPoint, type ScoreRow, SOURCES } from './skill-points.ts';

const [WIDTH, HEIGHT] = [560, 360];
/** Names of curves stand side by side above them. */
const LEGEND_STEP = 70;

interface SkillChartProps {
  /** Of one forecast, region and season, by buffer. */
  readonly rows: readonly ScoreRow[];
  readonly published: readonly PublishedPoint[];
  readonly title: string;
  readonly source: string;
}

/** A line for each kind of observations with a dot for each buffer and bars for intervals; published points in grey. */
export function SkillChart({ rows, published, title, source }: SkillChartProps) {
  const { theme } = useSession();
  const colors = chartColors(theme);
  const shades = [colors.bar, colors.warming, colors.ink];
  const curves = SOURCES.map(({ name, column }, k) => ({
    ...{ name, color: shades[k] ?? colors.ink, points: curveOf(rows, column) },
  })).filter(({ points }) => points.length > 0);
  const width = chartWidth(WIDTH);
  const scale = skillScale(width, HEIGHT, [
    ...curves.flatMap(({ points }) => points.map(({ penalty, penaltyEnds }) => penaltyEnds?.[1] ?? penalty)),
    ...published.map(({ penalty }) => penalty),
  ]);
  return (
    <Chart
      title={`Skill of ${title}`}
      unit="Observed contrails inside, %"
      source={source}
      label={`Skill curve of ${title}: ${curves.map(({ name, points }) => sentenceOf(name, points)).join(' ')}`}
      width={width}
      height={HEIGHT}
    >
      <SkillAxes scale={scale} colors={colors} />
      <Published points={published} scale={scale} colors={colors} />
      {curves.map(({ name, color, points }, k) => (
        <g key={name} stroke={color} fill={color}>
          <Curve name={name} points={points} scale={scale} />
          <text
            x={scale.right - LEGEND_STEP * (curves.length - 1 - k)}
            y="-11"
            text-anchor="end"
            stroke="none"
          >
            {name}
          </text>
        </g>
      ))}
    </Chart>
  );
}

function sentenceOf(name: string, points: readonly CurvePoint[]): string {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return '';
  const text = ({ buffer, hitRate, penalty }: CurvePoint) =>
    `${hitRate.toFixed(0)} % of contrails and ${penalty.toFixed(0)} % of flying at a buffer of ${buffer}`;
  return `${name}: ${text(first)}, ${text(last)}.`;
}

function Curve(props: {
  readonly name: string;
  readonly points: readonly CurvePoint[];
  readonly scale: SkillScale;
}) {
  const { name, points, scale } = props;
  const { x, y } = scale;
  return (
    <>
      <polyline points={points.map((p) => `${x(p.penalty)},${y(p.hitRate)}`).join(' ')} fill="none" />
      {points.map(({ buffer, penalty, hitRate, penaltyEnds, hitRateEnds }) => (
        <g key={buffer}>
          {hitRateEnds !== undefined && (
            <path d={`M${x(penalty)} ${y(hitRateEnds[0])}V${y(hitRateEnds[1])}`} opacity="0.5" />
          )}
          {penaltyEnds !== undefined && (
            <path d={`M${x(penaltyEnds[0])} ${y(hitRate)}H${x(penaltyEnds[1])}`} opacity="0.5" />
          )}
          <circle cx={x(penalty)} cy={y(hitRate)} r="3.5">
            <title>{`${name}, buffer ${buffer}: ${hitRate.toFixed(1)} % of contrails, ${penalty.toFixed(1)} % of flying`}</title>
          </circle>
        </g>
      ))}
    </>
  );
}

function Published(props: {
  readonly points: readonly PublishedPoint[];
  readonly scale: SkillScale;
  readonly colors: ChartColors;
}) {
  const { points, colors } = props;
  const { x, y } = props.scale;
  return (
    <g fill={colors.soft}>
      {points.map(({ name, setting, penalty, hitRate }) => (
        <g key={`${name} ${setting} ${penalty} ${hitRate}`} opacity="0.7">
          <circle cx={x(penalty)} cy={y(hitRate)} r="3">
            <title>{`${name}, ${setting}: published`}</title>
          </circle>
          <text x={x(penalty) + 5} y={y(hitRate) + 11} font-size="10">
            {setting}
          </text>
        </g>
      ))}
    </g>
  );
}
