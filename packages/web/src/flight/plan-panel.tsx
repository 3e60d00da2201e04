import { useEffect, useRef } from 'preact/hooks';
import { massText } from '../text.ts';
import { type FlightPlan, type PlanRow, signed } from './plan.ts';

export type Planning =
  | { readonly state: 'idle' | 'running' }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'done'; readonly plan: FlightPlan };

interface PlanPanelProps {
  readonly planning: Planning;
  readonly onPlan: () => void;
}

/** What every other level would have cost, what is recommended, and how sure that is. */
export function PlanPanel({ planning, onPlan }: PlanPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  // The table begins where the panel ends.
  useEffect(() => {
    if (planning.state === 'done') panel.current?.scrollIntoView({ block: 'start' });
  }, [planning.state]);

  return (
    <div class="plan" ref={panel}>
      <h3>Other levels</h3>
      {planning.state !== 'done' && (
        <button type="button" disabled={planning.state === 'running'} onClick={onPlan}>
          {planning.state === 'running' ? 'Comparing levels…' : 'Compare levels'}
        </button>
      )}
      {planning.state === 'failed' && (
        <p class="error" role="alert">
          {planning.message}
        </p>
      )}
      {planning.state === 'done' && <PlanTable plan={planning.plan} />}
    </div>
  );
}

function PlanTable({ plan: { rows, sentence, isChange, notes } }: { readonly plan: FlightPlan }) {
  const scale = scaleOf(rows);
  return (
    <>
      <p class={isChange ? 'meaning better' : 'meaning'} role="status">
        {sentence}
      </p>
      <table class="levels">
        <thead>
          <tr>
            <th scope="col">Level</th>
            <th scope="col">Fuel</th>
            <th scope="col">Contrails</th>
            <th scope="col">CO₂e</th>
            <th scope="col">Better</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={row.name}
              class={[row.kind, row.isBest ? 'best' : '', row.isPossible ? '' : 'impossible']
                .join(' ')
                .trim()}
            >
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
              <td>{row.probability === undefined ? '' : `${Math.round(100 * row.probability)} %`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        CO₂e of contrails and fuel over 100 years against the flight as flown; the bar spans 90 % of the
        samples, left of the line saves. Better: share of the samples. {notes.join(' ')}
      </p>
    </>
  );
}

function change(kilograms: number): string {
  return kilograms > 0 ? `+${massText(kilograms)}` : massText(kilograms).replace('-', '−');
}

type Scale = readonly [min: number, max: number];

function scaleOf(rows: readonly PlanRow[]): Scale {
  const ends = rows.flatMap(({ interval }) => (interval === undefined ? [] : [interval.q05, interval.q95]));
  return [Math.min(0, ...ends), Math.max(0, ...ends)];
}

/** From the 5 % to the 95 % quantile, with the median, on the scale of all rows. */
function IntervalBar(props: {
  readonly q05: number;
  readonly q50: number;
  readonly q95: number;
  readonly scale: Scale;
}) {
  const [min, max] = props.scale;
  const x = (value: number) => (100 * (value - min)) / (max - min || 1);
  const [low, middle, high, zero] = [props.q05, props.q50, props.q95, 0].map(x) as [
    number,
    number,
    number,
    number,
  ];
  const label = `90 % of the samples from ${change(props.q05)} to ${change(props.q95)}, median ${change(props.q50)}`;
  return (
    <svg class="interval" viewBox="-2 0 104 8" preserveAspectRatio="none" role="img" aria-label={label}>
      <line class="zero" x1={zero} x2={zero} y1="0" y2="8" />
      <line class="span" x1={low} x2={high} y1="4" y2="4" />
      <rect class="median" x={middle - 1.2} y="1.5" width="2.4" height="5" />
    </svg>
  );
}
