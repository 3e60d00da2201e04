/** Axes of skill curves: flying inside the regions to the right, observed contrails inside them upwards, in per cent. */
import type { ChartColors } from './colors.ts';
import type { SkillScale } from './skill-scale.ts';

/** With the diagonal of a forecast that knows nothing. */
export function SkillAxes({
  scale: { x, y, left, right, maxPenalty },
  colors,
}: {
  readonly scale: SkillScale;
  readonly colors: ChartColors;
}) {
  return (
    <>
      {[0, 25, 50, 75, 100].map((tick) => (
        <g key={tick}>
          <line x1={left} x2={right} y1={y(tick)} y2={y(tick)} stroke={colors.line} />
          <text x={left - 5} y={y(tick) + 4} text-anchor="end" fill={colors.soft}>
            {tick}
          </text>
        </g>
      ))}
      {[0, 1, 2, 3, 4].map((quarter) => (
        <text
          key={quarter}
          x={x((quarter * maxPenalty) / 4)}
          y={y(0) + 16}
          text-anchor="middle"
          fill={colors.soft}
        >
          {(quarter * maxPenalty) / 4}
        </text>
      ))}
      <text x={x(maxPenalty / 2)} y={y(0) + 32} text-anchor="middle" fill={colors.soft}>
        Flying inside, %
      </text>
      <line
        x1={x(0)}
        y1={y(0)}
        x2={x(maxPenalty)}
        y2={y(maxPenalty)}
        stroke={colors.soft}
        stroke-dasharray="4 4"
      />
      <text x={x(maxPenalty)} y={y(maxPenalty) - 7} text-anchor="end" font-size="11" fill={colors.soft}>
        random forecast
      </text>
    </>
  );
}
