import { useEffect, useRef, useState } from 'preact/hooks';
import { isAbort, messageOf } from '../service.ts';
import { metricText, useMetric } from '../shell/metric.ts';
import { massText } from '../text.ts';
import { computeSavings } from './compute-savings.ts';
import type { FlightRow } from './day-table.ts';
import { FlightLink } from './flight-link.tsx';
import type { Saving } from './savings.ts';

type Work =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly progress: number }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'done'; readonly savings: readonly Saving[] };

/** The flights that warm most, and what they could have saved: a job that can be cancelled. */
export function SavingsPanel({ worst }: { readonly worst: readonly FlightRow[] }) {
  const metric = useMetric();
  const [work, setWork] = useState<Work>({ state: 'idle' });
  const running = useRef<AbortController>(undefined);

  useEffect(() => {
    setWork({ state: 'idle' });
    return () => running.current?.abort();
  }, [worst]);

  const run = async () => {
    const own = new AbortController();
    running.current = own;
    setWork({ state: 'running', progress: 0 });
    try {
      const savings = await computeSavings(worst, metric, {
        signal: own.signal,
        onProgress: (progress) => setWork({ state: 'running', progress }),
      });
      if (!own.signal.aborted) setWork({ state: 'done', savings });
    } catch (error) {
      if (!own.signal.aborted && !isAbort(error)) setWork({ state: 'failed', message: messageOf(error) });
    }
  };
  const cancel = () => {
    running.current?.abort();
    setWork({ state: 'idle' });
  };

  if (worst.length === 0) return <p class="hint">No flight of this selection warms.</p>;
  const savings = work.state === 'done' ? work.savings : undefined;
  return (
    <div class="savings">
      {work.state === 'running' ? (
        <div class="progress" role="status">
          <span>Planning {worst.length} flights again…</span>
          <progress aria-label="Progress" value={work.progress} />
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </div>
      ) : (
        <button type="button" class="primary" onClick={run}>
          What could they have saved?
        </button>
      )}
      {work.state === 'failed' && (
        <p class="error" role="alert">
          {work.message}
        </p>
      )}
      {savings !== undefined && <p class="meaning">{sentenceOf(savings, metricText(metric))}</p>}
      <div class="scroll">
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Flight</th>
              <th scope="col">Route</th>
              <th scope="col">Type</th>
              <th scope="col" class="number">
                Contrail CO₂e
              </th>
              <th scope="col" class="number">
                Could have saved
              </th>
              <th scope="col">How</th>
            </tr>
          </thead>
          <tbody>
            {worst.map((row) => {
              const saving = savings?.find((one) => one.row.id === row.id);
              return (
                <tr key={row.id}>
                  <th scope="row">
                    <FlightLink row={row} />
                  </th>
                  <td data-label="Route">
                    {row.from || '?'}–{row.to || '?'}
                  </td>
                  <td data-label="Type">{row.type}</td>
                  <td data-label="Contrail CO₂e" class="number warming">
                    {massText(row.co2eKg)}
                  </td>
                  <td data-label="Could have saved" class="number">
                    {saving === undefined ? '' : saving.co2eKg === undefined ? '?' : massText(saving.co2eKg)}
                  </td>
                  <td data-label="How" class="how">
                    {saving?.text ?? ''}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="hint">
        CO₂e of CO₂ and contrails, {metricText(metric)}, against the flight as flown, with the weather of the
        day and the default prices of planning.
      </p>
    </div>
  );
}

function sentenceOf(savings: readonly Saving[], metric: string): string {
  const known = savings.filter(({ co2eKg }) => co2eKg !== undefined);
  const saved = known.reduce((sum, { co2eKg = 0 }) => sum + Math.max(co2eKg, 0), 0);
  const fuel = known.reduce((sum, { fuelKg = 0 }) => sum + fuelKg, 0);
  const better = known.filter(({ co2eKg = 0 }) => co2eKg > 0).length;
  const cost = fuel >= 0 ? `for ${massText(fuel)} more fuel` : `with ${massText(-fuel)} less fuel`;
  return `${better} of ${savings.length} flights would have been better at another level: together they would have saved ${massText(saved)} CO₂e (${metric}) ${cost}.`;
}
