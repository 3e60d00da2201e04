import { HORIZONS, METRICS, metricLabel, metricText, setMetric, useMetric } from './metric.ts';

const MEANING = {
  gwp: 'warming potential: forcing summed over the years',
  gtp: 'temperature change at the end of the years',
  atr: 'mean temperature response over the years',
} as const;

/** By which of nine metrics CO2e is shown, and whether efficacy counts. */
export function MetricSelect() {
  const metric = useMetric();
  const all = METRICS.flatMap((one) => HORIZONS.map((horizon) => ({ metric: one, horizon })));
  return (
    <span
      class="metric-select"
      title={`CO₂e as ${metricText(metric)}${metric.efficacy ? ', with efficacy' : ''}`}
    >
      <select
        aria-label="Metric of CO₂e"
        value={metricLabel(metric)}
        onChange={({ currentTarget: { value } }) => {
          const chosen = all.find((one) => metricLabel(one) === value);
          if (chosen !== undefined) setMetric({ ...metric, ...chosen });
        }}
      >
        {METRICS.map((one) => (
          <optgroup key={one} label={MEANING[one]}>
            {HORIZONS.map((horizon) => (
              <option key={horizon}>{metricLabel({ metric: one, horizon })}</option>
            ))}
          </optgroup>
        ))}
      </select>
      <label>
        <input
          type="checkbox"
          checked={metric.efficacy}
          onChange={({ currentTarget: { checked } }) => setMetric({ ...metric, efficacy: checked })}
        />{' '}
        efficacy
      </label>
    </span>
  );
}
