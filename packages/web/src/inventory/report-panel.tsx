import { useEffect, useRef, useState } from 'preact/hooks';
import { saveFile } from '../save-file.ts';
import { isAbort, messageOf } from '../service.ts';
import { useMetric } from '../shell/metric.ts';
import { TypedField } from '../shell/typed-field.tsx';
import { massText } from '../text.ts';
import { type MadeReport, makeReport, type ReportTables, reportFile, SCOPES } from './make-report.ts';

type Work =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly progress: number }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'done'; readonly report: MadeReport };

const SCOPE_NAMES = {
  reduced: 'within the EEA, and to Switzerland and the United Kingdom',
  full: 'from or to the EEA',
  all: 'all flights',
} as const;

const FILES = {
  'pack.zip': 'Whole folder (ZIP)',
  'flights.csv': 'Flights (CSV)',
  'methods.md': 'Methods',
} as const;

interface ReportPanelProps {
  readonly from: string;
  readonly to: string;
}

/** The report of an operator on its non-CO2 effects: a job that can be cancelled, and its files. */
export function ReportPanel(days: ReportPanelProps) {
  const { efficacy } = useMetric();
  const [period, setPeriod] = useState(days);
  const [operator, setOperator] = useState('');
  const [scope, setScope] = useState<(typeof SCOPES)[number]>();
  const [tables, setTables] = useState<ReportTables>({});
  const [work, setWork] = useState<Work>({ state: 'idle' });
  const running = useRef<AbortController>(undefined);

  useEffect(() => setPeriod({ from: days.from, to: days.to }), [days.from, days.to]);
  useEffect(() => () => running.current?.abort(), []);

  const run = async () => {
    const own = new AbortController();
    running.current = own;
    setWork({ state: 'running', progress: 0 });
    try {
      const request = { operator: operator.trim(), ...period, scope, efficacy };
      const report = await makeReport(request, tables, {
        signal: own.signal,
        onProgress: (progress) => setWork({ state: 'running', progress }),
      });
      if (!own.signal.aborted) setWork({ state: 'done', report });
    } catch (error) {
      if (!own.signal.aborted && !isAbort(error)) setWork({ state: 'failed', message: messageOf(error) });
    }
  };
  const cancel = () => {
    running.current?.abort();
    setWork({ state: 'idle' });
  };
  const choose =
    (name: keyof ReportTables) =>
    ({ currentTarget: { files } }: { readonly currentTarget: HTMLInputElement }) =>
      setTables((before) => ({ ...before, [name]: files?.[0] }));

  return (
    <form
      class="report"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <p class="hint">
        A report on the non-CO₂ effects of an airline that a verifier can recompute with one command. It is
        not approved by any authority, and is not an official format.
      </p>
      <div class="price-fields">
        <label class="field">
          Airline
          <input
            required
            maxLength={64}
            placeholder="IATA or ICAO code"
            value={operator}
            onInput={({ currentTarget: { value } }) => setOperator(value)}
          />
        </label>
        {(['from', 'to'] as const).map((end) => (
          <TypedField
            key={end}
            label={end === 'from' ? 'First day' : 'Last day'}
            type="date"
            required
            min={end === 'to' ? period.from : undefined}
            value={period[end]}
            onValue={(value) => setPeriod((before) => ({ ...before, [end]: value }))}
          />
        ))}
        <label class="field">
          Flights that count
          <select
            value={scope ?? ''}
            onChange={({ currentTarget: { value } }) => setScope(SCOPES.find((one) => one === value))}
          >
            <option value="">the rule of the day</option>
            {SCOPES.map((one) => (
              <option key={one} value={one}>
                {SCOPE_NAMES[one]}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          Flights of the airline, CSV or Parquet
          <input type="file" onChange={choose('flights')} />
        </label>
        <label class="field">
          Their waypoints, CSV or Parquet
          <input type="file" disabled={tables.flights === undefined} onChange={choose('trajectories')} />
        </label>
      </div>
      <p class="hint">Without files the flights are those of the inventory.</p>
      {work.state === 'running' ? (
        <div class="progress" role="status">
          <span>Computing the report…</span>
          <progress aria-label="Progress" value={work.progress} />
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </div>
      ) : (
        <button type="submit" class="primary">
          Make the report
        </button>
      )}
      {work.state === 'failed' && (
        <p class="error" role="alert">
          {work.message}
        </p>
      )}
      {work.state === 'done' && <Result {...work.report} />}
    </form>
  );
}

function Result({ id, summary: { operator, flights, totals } }: MadeReport) {
  const [error, setError] = useState<string>();
  const fetched = (name: string, use: (file: Blob) => void) => () =>
    reportFile(id, name).then(use, (problem: unknown) => setError(messageOf(problem)));
  const reasons = Object.entries({ ...flights.out_of_scope, ...flights.not_computed });
  return (
    <section class="report-result" aria-label="Report">
      <p class="meaning" role="status">
        {flights.reported} of {flights.supplied + flights.telemetry} flights of {operator} are reported:{' '}
        {massText(totals.co2_kg ?? 0)} CO₂, and {massText(totals.non_co2_co2e100_kg ?? 0)} CO₂e of contrails,
        NOx and water vapour (GWP100, with efficacy).
      </p>
      {reasons.length > 0 && (
        <p class="hint">
          Not reported:{' '}
          {reasons.map(([reason, count]) => `${reason.replaceAll('_', ' ')} ${count}`).join(', ')}.
        </p>
      )}
      <p class="hint">
        NOx and water vapour are computed by prototypes: NOx is 0.7 to 1.3 times CO₂ at GWP100 for the flights
        of our reference, and about 0.16 in the fleet mean of Lee et al. (2021).
      </p>
      <div class="exports">
        <button
          type="button"
          class="primary"
          onClick={fetched('report.html', (file) => window.open(URL.createObjectURL(file), '_blank'))}
        >
          Open the report
        </button>
        {Object.entries(FILES).map(([name, label]) => (
          <button
            key={name}
            type="button"
            onClick={fetched(name, (file) => saveFile(name === 'pack.zip' ? 'report.zip' : name, '', file))}
          >
            {label}
          </button>
        ))}
      </div>
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </section>
  );
}
