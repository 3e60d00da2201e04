import { useState } from 'preact/hooks';
import { distanceText, massText } from '../text.ts';
import type { FlightRow, Order, SortColumn } from './day-table.ts';

const TITLES: Readonly<Record<SortColumn, string>> = {
  callsign: 'Flight',
  type: 'Type',
  from: 'From',
  to: 'To',
  startMs: 'Start',
  distanceKm: 'Flown',
  contrailKm: 'Contrails',
  co2Kg: 'CO₂',
  co2eKg: 'Contrail CO₂e',
  grade: 'Quality',
};
const NUMERIC: readonly SortColumn[] = ['startMs', 'distanceKm', 'contrailKm', 'co2Kg', 'co2eKg'];
const ROW_PX = 30;
const HEAD_PX = 32;

interface FlightTableProps {
  readonly rows: readonly FlightRow[];
  readonly order: Order;
  readonly chosen: string | undefined;
  readonly onOrder: (order: Order) => void;
  readonly onChoose: (id: string) => void;
}

/** Flights of a day. Only rows in sight are in the page, so a hundred thousand flights scroll as well as ten. */
export function FlightTable({ rows, order, chosen, onOrder, onChoose }: FlightTableProps) {
  const [view, setView] = useState({ top: 0, height: 600 });
  const first = Math.max(Math.floor(view.top / ROW_PX) - 10, 0);
  const last = Math.min(Math.ceil((view.top + view.height) / ROW_PX) + 10, rows.length);
  const columns = Object.entries(TITLES) as [SortColumn, string][];
  return (
    <section
      class="flights"
      aria-label="Flights of the day"
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) =>
        setView({ top: Math.max(scrollTop - HEAD_PX, 0), height: clientHeight })
      }
    >
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map(([column, title]) => (
              <th
                key={column}
                class={NUMERIC.includes(column) ? 'number' : undefined}
                aria-sort={
                  column === order.column ? (order.isDescending ? 'descending' : 'ascending') : 'none'
                }
              >
                <button
                  type="button"
                  onClick={() =>
                    onOrder({
                      column,
                      isDescending: column === order.column ? !order.isDescending : NUMERIC.includes(column),
                    })
                  }
                >
                  {title}
                  {column === order.column && (
                    <span aria-hidden="true">{order.isDescending ? ' ↓' : ' ↑'}</span>
                  )}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Space rows={first} />}
          {rows.slice(first, last).map((row, k) => (
            <tr key={row.id} aria-rowindex={first + k + 2} class={row.id === chosen ? 'chosen' : undefined}>
              <th scope="row">
                <button type="button" onClick={() => onChoose(row.id)}>
                  {row.callsign || row.id.slice(0, 8)}
                </button>
              </th>
              <td>{row.type}</td>
              <td>{row.from || '–'}</td>
              <td>{row.to || '–'}</td>
              <td class="number">{new Date(row.startMs).toISOString().slice(11, 16)}</td>
              <td class="number">{distanceText(row.distanceKm)}</td>
              <td class="number">{row.contrailKm > 0 ? distanceText(row.contrailKm) : '–'}</td>
              <td class="number">{massText(row.co2Kg)}</td>
              <td class={`number ${row.co2eKg > 0 ? 'warming' : row.co2eKg < 0 ? 'cooling' : ''}`}>
                {row.co2eKg === 0 ? '–' : massText(row.co2eKg)}
              </td>
              <td
                title={`Quality ${row.grade}; longest gap between reports ${Math.round(row.maxGapMin)} min`}
              >
                {row.grade}
                {row.maxGapMin >= 1 && <small> gap {Math.round(row.maxGapMin)} min</small>}
              </td>
            </tr>
          ))}
          {last < rows.length && <Space rows={rows.length - last} />}
        </tbody>
      </table>
    </section>
  );
}

function Space({ rows }: { readonly rows: number }) {
  return (
    <tr>
      <td colSpan={10} style={{ height: `${rows * ROW_PX}px`, padding: 0 }} />
    </tr>
  );
}
