import { metricLabel, metricText, useMetric } from '../shell/metric.ts';
import { dateText, distanceText, massText } from '../text.ts';
import { CalendarChart } from './calendar-chart.tsx';
import { concentrationOf, type FlightRow, sumsOf } from './day-table.ts';
import type { Days } from './load-days.ts';
import { LorenzChart } from './lorenz-chart.tsx';

interface OverviewProps {
  readonly days: Days;
  /** Flights that the filter leaves. */
  readonly rows: readonly FlightRow[];
  readonly source: string;
}

/** Totals of the selection, how few flights cause most of it, and the days around. */
export function Overview({ days, rows, source }: OverviewProps) {
  const metric = useMetric();
  const { calendar, from, to } = days;
  const { flights, distanceKm, contrailKm, fuelKg, co2Kg, co2eKg } = sumsOf(rows);
  const concentration = concentrationOf(rows);
  return (
    <>
      <dl class="tiles">
        <Tile name="Flights" value={flights.toLocaleString('en')} />
        <Tile name="Distance" value={distanceText(distanceKm)} />
        <Tile name="Fuel" value={massText(fuelKg)} />
        <Tile name="CO₂" value={massText(co2Kg)} />
        <Tile
          name={`Contrail CO₂e, ${metricLabel(metric)}`}
          value={massText(co2eKg)}
          title={metricText(metric)}
        />
        <Tile name="Lasting contrails" value={distanceText(contrailKm)} />
      </dl>
      {concentration !== undefined && (
        <p class="meaning">
          {concentration.flights} of {flights} flights ({(100 * concentration.share).toFixed(1)} %){' '}
          {concentration.flights === 1 ? 'causes' : 'cause'} {Math.round(100 * concentration.warming)} % of
          the warming by contrails.
        </p>
      )}
      <LorenzChart rows={rows} source={source} />
      {calendar.groups.length > 1 && <CalendarChart groups={calendar.groups} chosen={{ from, to }} />}
      <Completeness days={days} />
    </>
  );
}

function Tile({
  name,
  value,
  title,
}: {
  readonly name: string;
  readonly value: string;
  readonly title?: string;
}) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Completeness({ days: { completeness, missing } }: { readonly days: Days }) {
  const { completeness: counts, message, state } = completeness ?? {};
  const outcomes = counts?.legs.by_outcome ?? {};
  const inInventory = (outcomes.ok ?? 0) + (outcomes.partial ?? 0);
  const others = Object.entries(outcomes).filter(([outcome]) => outcome !== 'ok' && outcome !== 'partial');
  const { telemetry } = counts ?? {};
  const truncatedHours = Object.keys(telemetry?.truncated ?? {}).length;
  return (
    <section class="day-summary" aria-label="Completeness">
      {missing.length > 0 && <p>Without an inventory: {missing.map((date) => dateText(date)).join(', ')}.</p>}
      {completeness !== undefined && <p class="sentence">{message || state}</p>}
      {counts != null && counts.legs.total > 0 && (
        <label>
          <progress value={inInventory / counts.legs.total} aria-label="Completeness" /> {inInventory} of{' '}
          {counts.legs.total} legs of the telemetry are in the inventory
        </label>
      )}
      {telemetry !== undefined && (
        <p>
          Telemetry of {telemetry.hours_present} of {telemetry.hours_expected} hours
          {telemetry.gaps.length > 0 && `, with ${telemetry.gaps.length} gaps of its sources`}
          {truncatedHours > 0 && `, ${truncatedHours} of them from files that break off`}.
        </p>
      )}
      {others.length > 0 && (
        <details>
          <summary>What became of the other legs</summary>
          <ul>
            {others.map(([outcome, count]) => (
              <li key={outcome}>
                {outcome.replaceAll('_', ' ')}: {count}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
