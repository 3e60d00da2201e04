import { Chart } from '../chart/chart.tsx';
import { chartColors } from '../chart/colors.ts';
import { SkillAxes } from '../chart/skill-axes.tsx';
import { skillScale } from '../chart/skill-scale.ts';
import { useSession } from '../shell/session.ts';
import { BENCHMARK, bufferSentence, type SkillPoint } from './benchmark.ts';

const [WIDTH, HEIGHT] = [300, 200];

/** What wider regions catch against what they cost, with the buffer of the map on it. */
export function SkillCurve({ buffer }: { readonly buffer: number }) {
  const { theme } = useSession();
  const colors = chartColors(theme);
  const scale = skillScale(WIDTH, HEIGHT);
  const { x, y } = scale;
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
      <SkillAxes scale={scale} colors={colors} />
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
