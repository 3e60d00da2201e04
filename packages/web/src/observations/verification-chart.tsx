import type { Verification } from '@contrails/client';
import { Chart, chartWidth } from '../chart/chart.tsx';
import { chartColors } from '../chart/colors.ts';
import { useSession } from '../shell/session.ts';
import { dateText } from '../text.ts';
import { hourLengths } from './hour-lengths.ts';

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [460, 190, 46, 20];

/** Observed and modelled contrails, hour by hour. */
export function VerificationChart({ verification }: { readonly verification: Verification }) {
  const { theme } = useSession();
  const colors = chartColors(theme);
  const hours = hourLengths(verification);
  const { date, satellite, model, is_synthetic: isSynthetic, scores } = verification;
  const most = Math.max(1, ...hours.flatMap(({ observedKm, modelledKm }) => [observedKm, modelledKm]));
  const all = chartWidth(WIDTH);
  const width = (all - LEFT - 8) / 24;
  const height = HEIGHT - BOTTOM - 20;
  const y = (km: number) => 20 + height * (1 - km / most);
  const percent = (share: number | null) => (share === null ? 'unknown' : `${Math.round(100 * share)} %`);
  const sentence = `Hit rate ${percent(scores.hit_rate)}, false-alarm ratio ${percent(scores.false_alarm_ratio)}: ${scores.hits} hits, ${scores.misses} misses and ${scores.false_alarms} false alarms.`;
  return (
    <>
      <p class="meaning">{sentence}</p>
      <Chart
        title="Contrails seen and computed"
        unit="Mean length of contrails by hour of the day, km"
        source={`${satellite}${isSynthetic ? ' (made-up images)' : ''} and inventory run ${model.run_id.slice(0, 8)}, ${dateText(date)}, UTC`}
        label={`Contrails of ${date} by hour. ${sentence}`}
        width={all}
        height={HEIGHT}
      >
        <rect x={LEFT} y="0" width="10" height="10" fill={colors.bar} />
        <text x={LEFT + 14} y="10">
          seen
        </text>
        <rect x={LEFT + 60} y="0" width="10" height="10" fill={colors.warming} />
        <text x={LEFT + 74} y="10">
          computed
        </text>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line x1={LEFT} x2={all - 8} y1={y(share * most)} y2={y(share * most)} stroke={colors.line} />
            <text x={LEFT - 6} y={y(share * most) + 4} text-anchor="end" fill={colors.soft}>
              {Math.round(share * most).toLocaleString('en')}
            </text>
          </g>
        ))}
        {hours.map(({ hour, observedKm, modelledKm }) => (
          <g key={hour} transform={`translate(${LEFT + hour * width} 0)`}>
            <rect
              x="1"
              y={y(observedKm)}
              width={width / 2 - 1}
              height={y(0) - y(observedKm)}
              fill={colors.bar}
            />
            <rect
              x={width / 2}
              y={y(modelledKm)}
              width={width / 2 - 1}
              height={y(0) - y(modelledKm)}
              fill={colors.warming}
            />
          </g>
        ))}
        {[0, 6, 12, 18].map((hour) => (
          <text
            key={hour}
            x={LEFT + (hour + 0.5) * width}
            y={HEIGHT - 4}
            text-anchor="middle"
            fill={colors.soft}
          >
            {String(hour).padStart(2, '0')}
          </text>
        ))}
      </Chart>
    </>
  );
}
