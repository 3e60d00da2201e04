import { Chart } from '../chart/chart.tsx';
import { chartColors } from '../chart/colors.ts';
import { useSession } from '../shell/session.ts';
import { BENCHMARK, bufferSentence, type SkillPoint } from './benchmark.ts';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [300, 200, 38, 8, 6, 38];
const [MAX_AFFECTED, MAX_HIT_RATE] = [28, 100];

/** What wider regions catch against what they cost, with the buffer of the map on it. */
export function SkillCurve({ buffer }: { readonly buffer: number }) {
  const { theme } = useSession();
  const colors = chartColors(theme);
  const x = (affected: number) => LEFT + (affected / MAX_AFFECTED) * (WIDTH - LEFT - RIGHT);
  const y = (hitRate: number) => HEIGHT - BOTTOM - (hitRate / MAX_HIT_RATE) * (HEIGHT - BOTTOM - TOP);
  const at = BENCHMARK[buffer];
  return (
    <Chart
      title="What a buffer catches"
      unit="Observed contrails inside, %"
      source="ContrailBench v1, 2024, IAGOS, another forecast"
      label={`Skill curve. ${bufferSentence(buffer)}`}
      width={WIDTH}
      height={HEIGHT}
    >
      {[0, 25, 50, 75, 100].map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} stroke={colors.line} />
          <text x={LEFT - 5} y={y(tick) + 4} text-anchor="end" fill={colors.soft}>
            {tick}
          </text>
        </g>
      ))}
      {[0, 7, 14, 21, 28].map((tick) => (
        <text key={tick} x={x(tick)} y={HEIGHT - BOTTOM + 16} text-anchor="middle" fill={colors.soft}>
          {tick}
        </text>
      ))}
      <text x={x(MAX_AFFECTED / 2)} y={HEIGHT - 6} text-anchor="middle" fill={colors.soft}>
        Flying inside, %
      </text>
      <line
        x1={x(0)}
        y1={y(0)}
        x2={x(MAX_AFFECTED)}
        y2={y(MAX_AFFECTED)}
        stroke={colors.soft}
        stroke-dasharray="4 4"
      />
      <text x={x(MAX_AFFECTED)} y={y(MAX_AFFECTED) + 14} text-anchor="end" font-size="11" fill={colors.soft}>
        forecast by chance
      </text>
      <polyline
        points={BENCHMARK.map((point) => `${x(point.affected)},${y(point.hitRate)}`).join(' ')}
        fill="none"
        stroke={colors.bar}
      />
      {BENCHMARK.map((point) => (
        <circle key={point.buffer} cx={x(point.affected)} cy={y(point.hitRate)} r="2.5" fill={colors.bar} />
      ))}
      {at !== undefined && <Current point={at} x={x(at.affected)} y={y(at.hitRate)} color={colors.ink} />}
    </Chart>
  );
}

function Current(props: {
  readonly point: SkillPoint;
  readonly x: number;
  readonly y: number;
  readonly color: string;
}) {
  const { point, x, y, color } = props;
  return (
    <>
      <circle cx={x} cy={y} r="6" fill="none" stroke={color} stroke-width="2" />
      <text x={x + 8} y={y + 16}>
        {point.buffer}
      </text>
    </>
  );
}
