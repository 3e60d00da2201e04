import { Bars } from '../chart/bars.tsx';
import { metricText, useMetric } from '../shell/metric.ts';
import { distanceText, massText } from '../text.ts';
import { type FlightRow, GROUPINGS, type Grouping, groupsOf } from './day-table.ts';

const NAMES: Readonly<Record<Grouping, string>> = {
  airline: 'airline',
  type: 'aircraft type',
  route: 'route',
  country: 'country of departure',
  day: 'day of departure, UTC',
  hour: 'hour of departure, UTC',
  grade: 'quality of the telemetry',
};
const SHOWN = 15;

interface GroupsPanelProps {
  readonly rows: readonly FlightRow[];
  readonly by: Grouping;
  readonly source: string;
  readonly onBy: (by: Grouping) => void;
  readonly onFilter: (text: string) => void;
}

/** Who and what the contrails come from, as bars and as a table. */
export function GroupsPanel({ rows, by, source, onBy, onFilter }: GroupsPanelProps) {
  const metric = useMetric();
  const groups = groupsOf(rows, by);
  const shown = by === 'hour' || by === 'day' ? groups : groups.slice(0, SHOWN);
  const nameOf = (key: string) => key || 'unknown';
  // The filter knows no hours, countries and grades.
  const canFilter = by === 'airline' || by === 'type' || by === 'route';
  return (
    <>
      <label class="field">
        Totals by
        <select value={by} onChange={(event) => onBy(event.currentTarget.value as Grouping)}>
          {GROUPINGS.map((one) => (
            <option key={one} value={one}>
              {NAMES[one]}
            </option>
          ))}
        </select>
      </label>
      <Bars
        title={`Contrails by ${NAMES[by]}`}
        unit={`CO₂e of contrails, ${metricText(metric)}${groups.length > shown.length ? `; the first ${shown.length} of ${groups.length}` : ''}`}
        source={source}
        bars={shown.map(({ key, co2eKg }) => ({ name: nameOf(key), value: co2eKg, text: massText(co2eKg) }))}
      />
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{NAMES[by].replace(/^./, (letter) => letter.toUpperCase())}</th>
              <th scope="col" class="number">
                Flights
              </th>
              <th scope="col" class="number">
                Distance
              </th>
              <th scope="col" class="number">
                Fuel
              </th>
              <th scope="col" class="number">
                CO₂
              </th>
              <th scope="col" class="number">
                Contrails
              </th>
              <th scope="col" class="number">
                CO₂e
              </th>
            </tr>
          </thead>
          <tbody>
            {groups.slice(0, 100).map((group) => (
              <tr key={group.key}>
                <th scope="row">
                  {canFilter && group.key !== '' ? (
                    <button type="button" class="link" onClick={() => onFilter(group.key.replace('–', ' '))}>
                      {group.key}
                    </button>
                  ) : (
                    nameOf(group.key)
                  )}
                </th>
                <td class="number">{group.flights.toLocaleString('en')}</td>
                <td class="number">{distanceText(group.distanceKm)}</td>
                <td class="number">{massText(group.fuelKg)}</td>
                <td class="number">{massText(group.co2Kg)}</td>
                <td class="number">{distanceText(group.contrailKm)}</td>
                <td class={`number ${group.co2eKg > 0 ? 'warming' : group.co2eKg < 0 ? 'cooling' : ''}`}>
                  {massText(group.co2eKg)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
