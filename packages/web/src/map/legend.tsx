import { toUnit } from '../grid/grid.ts';
import { legendColors } from '../stage/color-scale.ts';
import type { LegendEntry, ScaleEntry, SwatchEntry } from './legend-entries.ts';

/** What the colours of the map mean. */
export function Legend({ entries }: { readonly entries: readonly LegendEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <div class="legend">
      {entries.map((entry) =>
        'colors' in entry ? <Scale key={entry.title} {...entry} /> : <Sample key={entry.title} {...entry} />,
      )}
    </div>
  );
}

/** Units of the drawing: the bar, and room for half a label on both sides. */
const [BAR, MARGIN] = [200, 14];
const STEPS = 40;

function Scale({ title, colors, ticks }: ScaleEntry) {
  const step = BAR / STEPS;
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`${-MARGIN} 0 ${BAR + 2 * MARGIN} 23`}
        role="img"
        aria-label={`from ${ticks[0]?.[1]} to ${ticks.at(-1)?.[1]}`}
      >
        <rect class="ground" width={BAR} height="8" />
        {legendColors(colors, STEPS).map((color, k) => (
          <rect key={k} x={k * step} width={step} height="8" fill={color} />
        ))}
        {ticks.map(([value, label]) => {
          const x = BAR * toUnit(value, colors.scale);
          return (
            <g key={label}>
              <line class="tick" x1={x} x2={x} y1="8" y2="11" />
              <text x={x} y="21" text-anchor="middle">
                {label}
              </text>
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

function Sample({ title, swatch: { fill, fillOpacity, line, width, dash, lengthPx } }: SwatchEntry) {
  if (lengthPx !== undefined) {
    return (
      <p>
        <svg width={lengthPx} height="3" aria-hidden="true">
          <rect width={lengthPx} height="2" fill={fill} fill-opacity={fillOpacity} />
        </svg>{' '}
        {title}
      </p>
    );
  }
  return (
    <p>
      <svg class="swatch" viewBox="0 0 18 12" aria-hidden="true">
        <rect
          x="1"
          y="1"
          width="16"
          height="10"
          fill={fill}
          fill-opacity={fillOpacity}
          stroke={line}
          stroke-width={width}
          stroke-dasharray={dash?.join(' ')}
        />
      </svg>{' '}
      {title}
    </p>
  );
}
