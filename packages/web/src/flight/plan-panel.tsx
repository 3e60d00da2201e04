import { useEffect, useRef } from 'preact/hooks';
import { metricText } from '../shell/metric.ts';
import { TypedField } from '../shell/typed-field.tsx';
import { massText } from '../text.ts';
import { type FlightPlan, type PlanRow, signed } from './plan.ts';
import {
  bestMeans,
  COOLING_NAMES,
  COOLING_RULES,
  type PlanSettings,
  PRICES,
  planCommand,
} from './plan-settings.ts';

export interface Planning {
  readonly isRunning: boolean;
  /** The newest plan, also while another is made. */
  readonly plan: FlightPlan | undefined;
  /** Why the last one failed. */
  readonly message: string | undefined;
}

interface PlanPanelProps {
  readonly planning: Planning;
  readonly settings: PlanSettings;
  readonly onSettings: (settings: PlanSettings) => void;
  readonly onPlan: () => void;
}

/** What every other level would have cost, what is recommended, and how sure that is. */
export function PlanPanel({ planning, settings, onSettings, onPlan }: PlanPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  // The table begins where the panel ends.
  useEffect(() => {
    if (planning.plan !== undefined) panel.current?.scrollIntoView({ block: 'start' });
  }, [planning.plan]);
  const { isRunning, plan, message } = planning;
  const label = plan === undefined ? 'Compare levels' : 'Compare again';

  return (
    <div class="plan" ref={panel}>
      <h3>Other levels</h3>
      <details class="prices">
        <summary>What counts: prices, cooling ({metricText(settings)})</summary>
        <SettingsForm settings={settings} onSettings={onSettings} />
      </details>
      <button
        type="button"
        class="primary"
        disabled={isRunning || plan?.settings === settings}
        onClick={onPlan}
      >
        {isRunning ? 'Comparing levels…' : label}
      </button>
      {message !== undefined && (
        <p class="error" role="alert">
          {message}
        </p>
      )}
      {plan !== undefined && <PlanTable plan={plan} />}
    </div>
  );
}

function SettingsForm({ settings, onSettings }: Pick<PlanPanelProps, 'settings' | 'onSettings'>) {
  const change = (part: Partial<PlanSettings>) => onSettings({ ...settings, ...part });
  return (
    <div class="price-fields">
      {Object.entries(PRICES).map(([name, { label, max }]) => (
        <TypedField
          key={name}
          label={label}
          type="number"
          min={0}
          max={max}
          step="any"
          required
          value={settings[name as keyof typeof PRICES]}
          onValue={(value, isValid) => isValid && change({ [name]: Number(value) })}
        />
      ))}
      <label class="field">
        Contrails that cool
        <select
          value={settings.cooling}
          onChange={(event) => change({ cooling: event.currentTarget.value as PlanSettings['cooling'] })}
        >
          {COOLING_RULES.map((rule) => (
            <option key={rule} value={rule}>
              {COOLING_NAMES[rule]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function PlanTable({
  plan: { rows, sentence, verdict, isChange, notes, settings },
}: {
  readonly plan: FlightPlan;
}) {
  const scale = scaleOf(rows);
  return (
    <>
      <p class={isChange ? 'meaning better' : 'meaning'} role="status">
        {sentence}
      </p>
      {verdict !== undefined && <p class="meaning">{verdict}</p>}
      <p class="hint">{bestMeans(settings)}</p>
      <table class="levels">
        <thead>
          <tr>
            <th scope="col">Level</th>
            <th scope="col">Fuel</th>
            <th scope="col">Contrails</th>
            <th scope="col">CO₂e</th>
            <th scope="col">Cost</th>
            <th scope="col">Cheaper</th>
          </tr>
        </thead>
        {rows.map((row) => (
          <tbody
            key={`${row.kind} ${row.name}`}
            class={[row.kind, row.isBest ? 'best' : '', row.isPossible ? '' : 'impossible'].join(' ').trim()}
          >
            <tr>
              <th scope="row">
                {row.name}
                {row.isBest && <small> best</small>}
              </th>
              <td>{row.fuelPercent === null ? '' : `${signed(row.fuelPercent, 1)} %`}</td>
              <td>{row.contrailKm === null ? 'unknown' : `${Math.round(row.contrailKm)} km`}</td>
              <td>
                {row.co2eKg === null ? '' : change(row.co2eKg)}
                {row.interval !== undefined && <IntervalBar {...row.interval} scale={scale} />}
              </td>
              <td>{row.cost === null ? '' : signed(row.cost, 0)}</td>
              <td>{row.probability === undefined ? '' : `${Math.round(100 * row.probability)} %`}</td>
            </tr>
            {row.remark !== undefined && (
              <tr class="remark">
                <td colSpan={6}>{row.remark}</td>
              </tr>
            )}
          </tbody>
        ))}
      </table>
      <p class="hint">
        All against the flight as flown. CO₂e: contrails and fuel together, {metricText(settings)}; the bar
        spans 90 % of the samples, green saves and red adds. Cheaper: share of the samples in which it costs
        less. {notes.join(' ')}
      </p>
      <p class="hint">
        The same on the command line: <code>{planCommand(settings)}</code>
      </p>
    </>
  );
}

function change(kilograms: number): string {
  return kilograms > 0 ? `+${massText(kilograms)}` : massText(kilograms);
}

type Scale = readonly [min: number, max: number];

function scaleOf(rows: readonly PlanRow[]): Scale {
  const ends = rows.flatMap(({ interval }) => (interval === undefined ? [] : [interval.q05, interval.q95]));
  return [Math.min(0, ...ends), Math.max(0, ...ends)];
}

/** From the 5 % to the 95 % quantile, with the median, on the scale of all rows; what saves is green, what adds is red. */
function IntervalBar(props: {
  readonly q05: number;
  readonly q50: number;
  readonly q95: number;
  readonly scale: Scale;
}) {
  const { q05, q50, q95 } = props;
  const [min, max] = props.scale;
  const x = (value: number) => (100 * (value - min)) / (max - min || 1);
  const label = `90 % of the samples from ${change(q05)} to ${change(q95)}, median ${change(q50)}`;
  return (
    <svg class="interval" viewBox="-2 0 104 8" preserveAspectRatio="none" role="img" aria-label={label}>
      <line class="zero" x1={x(0)} x2={x(0)} y1="0" y2="8" />
      {q05 < 0 && <line class="saves" x1={x(q05)} x2={x(Math.min(q95, 0))} y1="4" y2="4" />}
      {q95 > 0 && <line class="adds" x1={x(Math.max(q05, 0))} x2={x(q95)} y1="4" y2="4" />}
      <rect class={q50 <= 0 ? 'saves' : 'adds'} x={x(q50) - 1.2} y="1.5" width="2.4" height="5" />
    </svg>
  );
}
