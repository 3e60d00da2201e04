import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type ChartColors, chartColors } from '../chart/colors.ts';
import { Legend } from '../map/legend.tsx';
import { SaveMap } from '../map/save-map.tsx';
import { messageOf } from '../service.ts';
import { metricText, useMetric } from '../shell/metric.ts';
import { formatRoute, replaceParameters } from '../shell/route.ts';
import { useSession } from '../shell/session.ts';
import { TypedField } from '../shell/typed-field.tsx';
import type { Shapes } from '../stage/stage.ts';
import { dateText, massText } from '../text.ts';
import { boundsOf, onGreatCircle, type Position } from '../track.ts';
import { byMetric, type FlightRow, filtered, sorted } from './day-table.ts';
import { Downloads } from './downloads.tsx';
import { FlightLink } from './flight-link.tsx';
import { FlightTable } from './flight-table.tsx';
import { GroupsPanel } from './groups-panel.tsx';
import {
  formatState,
  type InventoryState,
  parseState,
  TABS,
  type Tab,
  validDate,
} from './inventory-state.ts';
import { type Days, openDays } from './load-days.ts';
import { Overview } from './overview.tsx';
import { ReportPanel } from './report-panel.tsx';
import { SavingsPanel } from './savings-panel.tsx';

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
      'line-opacity': ['case', ['get', 'chosen'], 1, 0.75],
    },
  },
];

const TAB_NAMES: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  groups: 'Totals by',
  flights: 'Flights',
  savings: 'Worst ten',
  report: 'Report',
};
const WORST = 10;

/** The flights of some days beside the map: what they add up to, which of them warm, and how complete they are. */
export function InventoryView({ parameters }: { readonly parameters: URLSearchParams }) {
  const { stage, theme } = useSession();
  const colors = chartColors(theme);
  const legend = legendOf(colors);
  const [state, setState] = useState(() => parseState(parameters));
  const update = useCallback(
    (change: Partial<InventoryState>) => setState((before) => ({ ...before, ...change })),
    [],
  );
  const { date, to, text, tab, by, order, chosen } = state;
  const metric = useMetric();
  const { days, error, isLoading } = useDays(date, to);

  // A link that is followed while the view is shown.
  useEffect(() => setState(parseState(parameters)), [parameters]);
  useEffect(() => {
    if (days !== undefined) replaceParameters('inventory', formatState({ ...state, date: days.from }));
  }, [days, state, metric]);

  const all = useMemo(() => byMetric(days?.rows ?? [], metric), [days, metric]);
  const rows = useMemo(() => filtered(all, text), [all, text]);
  const inOrder = useMemo(() => sorted(rows, order), [rows, order]);
  const worst = useMemo(
    () =>
      sorted(rows, { column: 'co2eKg', isDescending: true })
        .filter(({ co2eKg }) => co2eKg > 0)
        .slice(0, WORST),
    [rows],
  );
  const chosenRow = useMemo(() => all.find(({ id }) => id === chosen), [all, chosen]);

  useEffect(() => {
    stage?.setShapes('inventory', { data: linesOf(inOrder, chosen, colors), layers: LINE_LAYERS });
  }, [stage, inOrder, chosen, colors]);
  useEffect(() => () => stage?.setShapes('inventory', undefined), [stage]);

  useEffect(() => {
    const isWide = matchMedia('(min-width: 48rem)').matches;
    const padding = isWide
      ? { left: Math.min(760, innerWidth * 0.58) + 30, right: 40, top: 70, bottom: 40 }
      : { left: 20, right: 20, top: 60, bottom: innerHeight * 0.7 };
    stage?.fit(chosenRow === undefined ? WORLD : boundsOf(endsOf(chosenRow.path)), padding);
  }, [stage, chosenRow]);

  return (
    <main class="inventory-view">
      <aside class="panel" aria-label="Inventory">
        <div class="day-bar">
          <TypedField
            label="Day"
            type="date"
            value={days?.from ?? date ?? ''}
            onValue={(value) => update({ date: validDate(value), to: undefined, chosen: undefined })}
          />
          <TypedField
            label="To"
            type="date"
            min={days?.from ?? date}
            value={to ?? ''}
            onValue={(value) => update({ to: validDate(value), chosen: undefined })}
          />
          <label class="field grow">
            Filter
            <input
              type="search"
              placeholder="callsign, airline, type, airport"
              value={text}
              onInput={(event) => update({ text: event.currentTarget.value })}
            />
          </label>
        </div>
        {error !== undefined && (
          <p class="notice" role="status">
            {error}
          </p>
        )}
        {isLoading && <p aria-busy="true">Loading the flights…</p>}
        {days !== undefined && (
          <>
            <nav class="tabs" aria-label="Inventory">
              {TABS.map((one) => (
                <a
                  key={one}
                  href={formatRoute({
                    view: 'inventory',
                    parameters: formatState({ ...state, date: days.from, tab: one }),
                  })}
                  aria-current={one === tab ? 'page' : undefined}
                >
                  {TAB_NAMES[one]}
                </a>
              ))}
              <small>
                {rows.length < days.rows.length
                  ? `${rows.length.toLocaleString('en')} of ${days.rows.length.toLocaleString('en')} flights`
                  : `${rows.length.toLocaleString('en')} flights`}
              </small>
            </nav>
            {tab === 'flights' ? (
              <>
                <Downloads days={days} text={text} />
                {chosenRow !== undefined && <Chosen row={chosenRow} />}
                <FlightTable
                  rows={inOrder}
                  order={order}
                  chosen={chosen}
                  onOrder={(wanted) => update({ order: wanted })}
                  onChoose={(id) => update({ chosen: id })}
                />
              </>
            ) : (
              <div class="tab-body">
                {tab === 'overview' && <Overview days={days} rows={rows} source={sourceOf(days, text)} />}
                {tab === 'groups' && (
                  <GroupsPanel
                    rows={rows}
                    by={by}
                    source={sourceOf(days, text)}
                    onBy={(wanted) => update({ by: wanted })}
                    onFilter={(wanted) => update({ text: wanted, tab: 'flights' })}
                  />
                )}
                {tab === 'savings' && <SavingsPanel worst={worst} />}
                {tab === 'report' && <ReportPanel from={days.from} to={days.to} />}
              </div>
            )}
            <div class="map-key">
              <Legend entries={legend} />
              <SaveMap
                name={`contrails-inventory-${days.from}${days.to === days.from ? '' : `-${days.to}`}`}
                parts={{
                  title: 'Flights of the inventory, as great circles',
                  lines: [
                    sourceOf(days, text),
                    `The first ${Math.min(rows.length, MAX_LINES)} of ${rows.length} flights, ${metricText(metric)}`,
                  ],
                  legend,
                }}
              />
            </div>
          </>
        )}
      </aside>
    </main>
  );
}

function legendOf({ warming, cooling, soft }: ChartColors) {
  return [
    { title: 'contrails warm', swatch: swatchOf(warming) },
    { title: 'contrails cool', swatch: swatchOf(cooling) },
    { title: 'no lasting contrail', swatch: swatchOf(soft) },
  ];
}

/** How lines of a colour look in the legend. */
function swatchOf(color: string) {
  return { fill: color, fillOpacity: 1, line: color, width: 0 };
}

/** The source line of charts and pictures. */
function sourceOf({ from, to, completeness }: Days, text: string): string {
  const days = from === to ? dateText(from) : `${dateText(from)} to ${dateText(to)}`;
  const run = completeness?.completeness?.run_id;
  return [
    `Inventory of ${days}, UTC`,
    ...(run === undefined ? [] : [`run ${run.slice(0, 8)}`]),
    ...(text.trim() === '' ? [] : [`only ${text.trim()}`]),
  ].join(' · ');
}

function Chosen({ row }: { readonly row: FlightRow }) {
  const metric = useMetric();
  return (
    <p class="chosen-flight" role="status">
      <span>
        {row.from || '?'}–{row.to || '?'}, {row.type}: {massText(row.co2eKg)} CO₂e ({metricText(metric)})
      </span>
      <span>
        Open <FlightLink row={row} /> with profile, contrails and plan
      </span>
    </p>
  );
}

/** The days that were asked for, or the newest one that is published. */
function useDays(date: string | undefined, to: string | undefined) {
  const { key, connection } = useSession();
  const [days, setDays] = useState<Days>();
  const [error, setError] = useState<string>();
  const [isLoading, setLoading] = useState(true);

  const loaded = useRef('');

  useEffect(() => {
    if (key !== 'present' || connection < 0) return;
    const subject = (first: string | undefined, last: string | undefined) =>
      `${connection} ${first} ${last ?? first}`;
    // The address names the newest day as soon as it is known.
    if (loaded.current === subject(date, to)) {
      setLoading(false);
      return;
    }
    const stopped = new AbortController();
    setLoading(true);
    setError(undefined);
    openDays(date, to, stopped.signal)
      .then(
        (found) => {
          loaded.current = subject(found.from, found.to);
          setDays(found);
        },
        (problem: unknown) => {
          if (stopped.signal.aborted) return;
          loaded.current = '';
          setDays(undefined);
          setError(messageOf(problem));
        },
      )
      .finally(() => {
        if (!stopped.signal.aborted) setLoading(false);
      });
    return () => stopped.abort();
  }, [key, connection, date, to]);

  return { days, error, isLoading };
}

/** Great circles of the first flights of the table, and of the chosen one. */
function linesOf(
  rows: readonly FlightRow[],
  chosen: string | undefined,
  { warming, cooling, soft }: ChartColors,
): GeoJSON.FeatureCollection {
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
          color: row.co2eKg > 0 ? warming : row.co2eKg < 0 ? cooling : soft,
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
