import { useEffect, useMemo, useState } from 'preact/hooks';
import { messageOf } from '../service.ts';
import { replaceParameters } from '../shell/route.ts';
import { useSession } from '../shell/session.ts';
import type { Shapes } from '../stage/stage.ts';
import { massText } from '../text.ts';
import { boundsOf, onGreatCircle, type Position } from '../track.ts';
import { concentrationOf, type FlightRow, filtered, type Order, sorted } from './day-table.ts';
import { FlightTable } from './flight-table.tsx';
import { type Day, openDay } from './load-day.ts';

const MAX_LINES = 300;
/** Where most flights are. */
const WORLD = [-130, -30, 150, 65] as const;

const LINE_LAYERS: Shapes['layers'] = [
  {
    type: 'line',
    layout: { 'line-cap': 'round' },
    paint: {
      'line-color': ['get', 'color'],
      'line-width': ['case', ['get', 'chosen'], 5, 1.6],
      'line-opacity': ['case', ['get', 'chosen'], 1, 0.6],
    },
  },
];

/** The flights of a day beside the map: which of them warm, and how complete the day is. */
export function InventoryView({ parameters }: { readonly parameters: URLSearchParams }) {
  const { stage } = useSession();
  const [date, setDate] = useState(() => validDate(parameters.get('date')));
  const { day, error, isLoading } = useDay(date);
  const [text, setText] = useState('');
  const [order, setOrder] = useState<Order>({ column: 'co2eKg', isDescending: true });
  const [chosen, setChosen] = useState<string>();

  const rows = useMemo(() => sorted(filtered(day?.rows ?? [], text), order), [day, text, order]);
  const concentration = useMemo(() => concentrationOf(day?.rows ?? []), [day]);
  const worst = useMemo(
    () =>
      sorted(day?.rows ?? [], { column: 'co2eKg', isDescending: true })
        .filter(({ co2eKg }) => co2eKg > 0)
        .slice(0, 10),
    [day],
  );

  useEffect(() => {
    if (day !== undefined) replaceParameters('inventory', new URLSearchParams({ date: day.date }));
  }, [day]);

  useEffect(() => {
    stage?.setShapes('inventory', { data: linesOf(rows, chosen), layers: LINE_LAYERS });
  }, [stage, rows, chosen]);
  useEffect(() => () => stage?.setShapes('inventory', undefined), [stage]);

  useEffect(() => {
    const isWide = matchMedia('(min-width: 48rem)').matches;
    const padding = isWide
      ? { left: Math.min(760, innerWidth * 0.58) + 30, right: 40, top: 70, bottom: 40 }
      : { left: 20, right: 20, top: 60, bottom: innerHeight * 0.7 };
    const row = day?.rows.find(({ id }) => id === chosen);
    stage?.fit(row === undefined ? WORLD : boundsOf(endsOf(row.path)), padding);
  }, [stage, day, chosen]);

  return (
    <main class="inventory-view">
      <aside class="panel" aria-label="Inventory">
        <div class="day-bar">
          <label class="field">
            Day
            <input
              type="date"
              value={day?.date ?? date ?? ''}
              onChange={(event) => setDate(validDate(event.currentTarget.value))}
            />
          </label>
          <label class="field grow">
            Filter
            <input
              type="search"
              placeholder="callsign, airline, type, airport"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
        </div>
        {error !== undefined && (
          <p class="notice" role="status">
            {error}
          </p>
        )}
        {isLoading && <p aria-busy="true">Loading the day…</p>}
        {day !== undefined && (
          <>
            <Summary day={day} shown={rows.length} />
            {concentration !== undefined && (
              <p class="meaning">
                {concentration.flights} of {day.rows.length} flights ({(100 * concentration.share).toFixed(1)}{' '}
                %) cause 80 % of the warming by contrails.
              </p>
            )}
            <details class="worst">
              <summary>The ten flights that warm most</summary>
              <ol>
                {worst.map(({ id, callsign, from, to, type, co2eKg }) => (
                  <li key={id}>
                    <button type="button" onClick={() => setChosen(id)}>
                      {callsign || id.slice(0, 8)}
                    </button>{' '}
                    {from || '?'}–{to || '?'}, {type}: {massText(co2eKg)} CO₂e
                  </li>
                ))}
              </ol>
            </details>
            <FlightTable rows={rows} order={order} chosen={chosen} onOrder={setOrder} onChoose={setChosen} />
          </>
        )}
      </aside>
    </main>
  );
}

function Summary({ day, shown }: { readonly day: Day; readonly shown: number }) {
  const { completeness, rows } = day;
  const legs = completeness.completeness?.legs;
  const others = Object.entries(legs?.by_outcome ?? {}).filter(
    ([outcome]) => outcome !== 'ok' && outcome !== 'partial',
  );
  const inInventory = (legs?.by_outcome.ok ?? 0) + (legs?.by_outcome.partial ?? 0);
  return (
    <div class="day-summary">
      <p>
        <b>{rows.length.toLocaleString('en')}</b> flights
        {shown < rows.length && `, ${shown.toLocaleString('en')} shown`} ·{' '}
        {completeness.message || completeness.state}
      </p>
      {legs !== undefined && legs.total > 0 && (
        <>
          <label>
            <progress value={inInventory / legs.total} aria-label="Completeness" /> {inInventory} of{' '}
            {legs.total} legs of the telemetry are in the inventory
          </label>
          {others.length > 0 && (
            <details>
              <summary>What became of the others</summary>
              <ul>
                {others.map(([outcome, count]) => (
                  <li key={outcome}>
                    {outcome.replaceAll('_', ' ')}: {count}
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </div>
  );
}

/** The day that was asked for, or the newest that is published. */
function useDay(date: string | undefined) {
  const { key, connection } = useSession();
  const [day, setDay] = useState<Day>();
  const [error, setError] = useState<string>();
  const [isLoading, setLoading] = useState(true);

  useEffect(() => {
    if (key !== 'present' || connection < 0) return;
    const stopped = new AbortController();
    setLoading(true);
    setError(undefined);
    openDay(date, stopped.signal)
      .then(setDay, (problem: unknown) => {
        if (stopped.signal.aborted) return;
        setDay(undefined);
        setError(messageOf(problem));
      })
      .finally(() => {
        if (!stopped.signal.aborted) setLoading(false);
      });
    return () => stopped.abort();
  }, [key, connection, date]);

  return { day, error, isLoading };
}

function validDate(text: string | null): string | undefined {
  return text !== null && /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined;
}

/** Great circles of the first flights of the table, and of the chosen one. */
function linesOf(rows: readonly FlightRow[], chosen: string | undefined): GeoJSON.FeatureCollection {
  const shown = rows.filter((row, k) => k < MAX_LINES || row.id === chosen);
  const inOrder = [...shown].sort((a, b) => Number(a.id === chosen) - Number(b.id === chosen));
  return {
    type: 'FeatureCollection',
    features: inOrder.map(
      (row): GeoJSON.Feature => ({
        type: 'Feature',
        properties: {
          id: row.id,
          chosen: row.id === chosen,
          color: row.co2eKg > 0 ? '#ff7a55' : row.co2eKg < 0 ? '#5fb0ff' : '#8ea3b5',
        },
        geometry: { type: 'MultiLineString', coordinates: arcOf(row.path) },
      }),
    ),
  };
}

const ARC_STEPS = 24;

function endsOf([lonStart, latStart, lonEnd, latEnd]: FlightRow['path']): readonly [Position, Position] {
  return [
    { longitude: lonStart, latitude: latStart },
    { longitude: lonEnd, latitude: latEnd },
  ];
}

function arcOf(path: FlightRow['path']): number[][][] {
  const [from, to] = endsOf(path);
  const lines: number[][][] = [[]];
  for (let k = 0; k <= ARC_STEPS; k++) {
    const { longitude, latitude } = onGreatCircle(from, to, k / ARC_STEPS);
    const before = lines.at(-1)?.at(-1);
    if (before !== undefined && Math.abs(longitude - (before[0] ?? 0)) > 180) lines.push([]);
    lines.at(-1)?.push([longitude, latitude]);
  }
  return lines.filter((line) => line.length > 1);
}
