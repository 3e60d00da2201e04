import { Chart } from '../chart/chart.tsx';
import { chartColors } from '../chart/colors.ts';
import { roundTicks } from '../chart/ticks.ts';
import { useSession } from '../shell/session.ts';
import { energyText, energyUnit, massText } from '../text.ts';
import type { RouteOption } from './routes.ts';

const [WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP] = [380, 284, 48, 14, 44, 30];
/** What the marks mean, with where it stands. */
const MARKS = [
  ['front', 'contrail weights', 8],
  ['chosen', 'cheapest', 130],
  ['direct', 'great circle', 212],
  ['flown', 'the flight', 306],
] as const;
const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

interface FrontChartProps {
  readonly options: readonly RouteOption[];
  readonly selected: string | undefined;
  readonly source: string;
  readonly onSelect: (id: string) => void;
}

/** Fuel against the warming of contrails; every point can be selected with the pointer and with the arrow keys. */
export function FrontChart({ options, selected, source, onSelect }: FrontChartProps) {
  const { theme } = useSession();
  const colors = chartColors(theme);
  const sorted = [...options].sort((a, b) => a.fuelKg - b.fuelKg || b.warmingJ - a.warmingJ);
  const { unit, factor } = energyUnit(Math.max(...options.map(({ warmingJ }) => warmingJ), 1));
  const tonnes = options.map(({ fuelKg }) => fuelKg / 1000);
  const energies = options.map(({ warmingJ }) => warmingJ / factor);
  const xTicks = roundTicks(Math.min(...tonnes), Math.max(...tonnes), 4);
  const yTicks = roundTicks(Math.min(0, ...energies), Math.max(...energies), 4);
  const scale = (ticks: readonly number[], from: number, to: number) => {
    const [first = 0, last = 1] = [ticks[0], ticks.at(-1)];
    return (value: number) => from + ((value - first) / (last - first)) * (to - from);
  };
  const x = scale(xTicks, LEFT, WIDTH - RIGHT);
  const y = scale(yTicks, HEIGHT - BOTTOM, TOP);
  const place = ({ fuelKg, warmingJ }: RouteOption) => ({ x: x(fuelKg / 1000), y: y(warmingJ / factor) });
  const line = sorted
    .filter(({ kind }) => kind === 'front')
    .map((option) => `${place(option).x},${place(option).y}`)
    .join(' ');
  const focused = sorted.some(({ id }) => id === selected) ? selected : sorted[0]?.id;
  const move = (event: KeyboardEvent, index: number) => {
    const step = STEPS[event.key];
    if (event.key === ' ' || event.key === 'Enter') onSelect(sorted[index]?.id ?? '');
    else if (step === undefined) return;
    else {
      const next = (index + step + sorted.length) % sorted.length;
      onSelect(sorted[next]?.id ?? '');
      const points = (event.currentTarget as SVGElement).parentElement?.querySelectorAll<SVGElement>(
        '[role=radio]',
      );
      points?.[next]?.focus();
    }
    event.preventDefault();
  };
  return (
    <Chart
      title="What less warming costs"
      unit={`Warming by contrails, ${unit}, against fuel`}
      source={source}
      label={`Fuel against warming by contrails of ${options.length} routes.`}
      width={WIDTH}
      height={HEIGHT}
      hasLinks
    >
      {yTicks.map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} stroke={colors.line} />
          <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end" fill={colors.soft}>
            {tick.toLocaleString('en')}
          </text>
        </g>
      ))}
      {xTicks.map((tick) => (
        <g key={tick}>
          <line
            x1={x(tick)}
            x2={x(tick)}
            y1={HEIGHT - BOTTOM}
            y2={HEIGHT - BOTTOM + 4}
            stroke={colors.soft}
          />
          <text x={x(tick)} y={HEIGHT - BOTTOM + 18} text-anchor="middle" fill={colors.soft}>
            {tick.toLocaleString('en')}
          </text>
        </g>
      ))}
      <text x={(LEFT + WIDTH - RIGHT) / 2} y={HEIGHT - 8} text-anchor="middle" fill={colors.soft}>
        Fuel of the cruise, t
      </text>
      {MARKS.map(([kind, name, at]) => (
        <g key={kind} transform={`translate(${at} 7)`}>
          <Mark kind={kind} color={kind === 'front' ? colors.bar : colors.ink} />
          <text x="11" y="4">
            {name}
          </text>
        </g>
      ))}
      <polyline points={line} fill="none" stroke={colors.soft} stroke-dasharray="4 3" />
      <g role="radiogroup" aria-label="Routes">
        {sorted.map((option, index) => {
          const at = place(option);
          const isSelected = option.id === selected;
          return (
            // biome-ignore lint/a11y/useSemanticElements: an SVG has no inputs
            <g
              key={option.id}
              class="point"
              role="radio"
              aria-checked={isSelected}
              aria-label={pointText(option)}
              tabindex={option.id === focused ? 0 : -1}
              transform={`translate(${at.x} ${at.y})`}
              onClick={() => onSelect(option.id)}
              onKeyDown={(event) => move(event, index)}
            >
              <title>{pointText(option)}</title>
              {/* What fingers touch. */}
              <circle r="13" fill="transparent" />
              {isSelected && <circle r="9" fill="none" stroke={colors.ink} stroke-width="2" />}
              <Mark kind={option.kind} color={option.kind === 'front' ? colors.bar : colors.ink} />
            </g>
          );
        })}
      </g>
    </Chart>
  );
}

/** Shapes tell the kinds apart without colours. */
function Mark({ kind, color }: { readonly kind: RouteOption['kind']; readonly color: string }) {
  if (kind === 'flown') return <rect x="-4" y="-4" width="8" height="8" fill={color} />;
  if (kind === 'direct') return <path d="M0 -6 L6 0 L0 6 L-6 0 Z" fill={color} />;
  if (kind === 'chosen') return <path d="M0 -7 L6 5 L-6 5 Z" fill={color} />;
  return <circle r="5" fill={color} />;
}

export function pointText({ name, fuelKg, minutes, warmingJ }: RouteOption): string {
  return `${name}: fuel ${massText(fuelKg)}, ${Math.round(minutes)} min, warming ${energyText(warmingJ)}`;
}
