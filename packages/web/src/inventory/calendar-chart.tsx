import type { InventoryTotals } from '@contrails/client';
import { Chart, chartWidth } from '../chart/chart.tsx';
import { type ChartColors, chartColors } from '../chart/colors.ts';
import { contrailCo2e, metricText, useMetric } from '../shell/metric.ts';
import { formatRoute } from '../shell/route.ts';
import { useSession } from '../shell/session.ts';
import { DAY_MS, dateText, massText } from '../text.ts';

const [CELL, LEFT, TOP] = [18, 34, 16];
const WEEKDAYS = ['Mon', '', 'Wed', '', 'Fri', '', 'Sun'];
const [LEGEND, MIN_WIDTH] = [180, 460];
/** Of the scale, as shares of the most that a day has. */
const SHADES = [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1];
/** The name of a month takes so much [px]. */
const MONTH = 30;

interface CalendarChartProps {
  readonly groups: InventoryTotals['groups'];
  readonly chosen: { readonly from: string; readonly to: string };
}

/** The days that have an inventory, coloured by what their contrails do; each is a link to its day. */
export function CalendarChart({ groups, chosen }: CalendarChartProps) {
  const { theme } = useSession();
  const metric = useMetric();
  const colors = chartColors(theme);
  const days = groups.flatMap(({ key, ...sums }) =>
    key === null
      ? []
      : [
          {
            date: key,
            dayMs: Date.parse(key),
            flights: sums.flights,
            co2eKg: contrailCo2e(
              {
                energyForcing: 1e6 * sums.ef_mj,
                gwpKg: { 20: sums.co2e20_kg, 50: sums.co2e50_kg, 100: sums.co2e100_kg },
              },
              metric,
            ),
          },
        ],
  );
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  const startMs = first.dayMs - weekday(first.dayMs) * DAY_MS;
  const weeks = Math.floor((last.dayMs - startMs) / (7 * DAY_MS)) + 1;
  const most = Math.max(...days.map(({ co2eKg }) => Math.abs(co2eKg)), 1);
  const width = Math.max(LEFT + weeks * CELL + 4, chartWidth(MIN_WIDTH));
  const x = (dayMs: number) => LEFT + Math.floor((dayMs - startMs) / (7 * DAY_MS)) * CELL;
  const months = days
    .filter(({ dayMs }, k) => k === 0 || new Date(dayMs).getUTCDate() === 1)
    // That of a few days before the next month has no room.
    .filter(({ dayMs }, k, some) => x(some[k + 1]?.dayMs ?? Number.POSITIVE_INFINITY) - x(dayMs) >= MONTH);
  return (
    <Chart
      title="Contrails by day"
      unit={`CO₂e of contrails, ${metricText(metric)}; red warms, blue cools`}
      source={`Inventory, ${dateText(first.dayMs)} to ${dateText(last.dayMs)}`}
      label={`Calendar of ${days.length} days, ${first.date} to ${last.date}`}
      width={width}
      height={TOP + 7 * CELL + 30}
      hasLinks
    >
      {WEEKDAYS.map((name, k) => (
        <text
          key={name || k}
          x={LEFT - 6}
          y={TOP + k * CELL + 13}
          text-anchor="end"
          fill={colors.soft}
          font-size="10"
        >
          {name}
        </text>
      ))}
      {months.map(({ date, dayMs }) => (
        <text key={date} x={x(dayMs)} y="10" fill={colors.soft} font-size="10">
          {new Date(dayMs).toLocaleString('en', { month: 'short', timeZone: 'UTC' })}
        </text>
      ))}
      {days.map(({ date, dayMs, co2eKg, flights }) => (
        <a
          key={date}
          href={formatRoute({ view: 'inventory', parameters: new URLSearchParams({ date }) })}
          aria-label={`${date}: ${massText(co2eKg)} CO₂e, ${flights.toLocaleString('en')} flights`}
        >
          <rect
            x={x(dayMs)}
            y={TOP + weekday(dayMs) * CELL}
            width={CELL - 2}
            height={CELL - 2}
            rx="3"
            {...shadeOf(co2eKg / most, colors)}
            stroke={date >= chosen.from && date <= chosen.to ? colors.ink : 'none'}
            stroke-width="2"
          />
          <title>{`${date}: ${massText(co2eKg)} CO₂e, ${flights.toLocaleString('en')} flights`}</title>
        </a>
      ))}
      <g transform={`translate(${LEFT} ${TOP + 7 * CELL + 6})`}>
        {SHADES.map((share, k) => (
          <rect
            key={share}
            x={(k * LEGEND) / SHADES.length}
            width={LEGEND / SHADES.length}
            height="10"
            {...shadeOf(share, colors)}
          />
        ))}
        {[-most, 0, most].map((value, k) => (
          <text
            key={value}
            x={(k * LEGEND) / 2}
            y="22"
            font-size="10"
            text-anchor={(['start', 'middle', 'end'] as const)[k]}
            fill={colors.soft}
          >
            {value === 0 ? '0' : massText(value)}
          </text>
        ))}
      </g>
    </Chart>
  );
}

/** The colour of a share from −1, what cools most, to 1. */
function shadeOf(share: number, colors: ChartColors) {
  return {
    fill: share < 0 ? colors.cooling : colors.warming,
    'fill-opacity': 0.12 + 0.88 * Math.abs(share),
  };
}

/** From 0 for Monday. */
function weekday(dayMs: number): number {
  return (new Date(dayMs).getUTCDay() + 6) % 7;
}
