import type { ColorScale } from '../stage/color-scale.ts';
import {
  FORCING_COLORS,
  HUMIDITY_COLORS,
  INDEX_COLORS,
  legendSteps,
  TEMPERATURE_COLORS,
} from '../stage/color-scale.ts';
import type { MapState } from './map-state.ts';

interface Entry {
  readonly title: string;
  readonly colors: ColorScale;
  readonly format: (value: number) => string;
}

const INDEX: Entry = { title: 'Forecast index', colors: INDEX_COLORS, format: (value) => value.toFixed(0) };
const FORCING: Entry = {
  title: 'Energy forcing, MJ per metre',
  colors: FORCING_COLORS,
  format: (value) => (value / 1e6).toFixed(0),
};
const TEMPERATURE: Entry = {
  title: 'Temperature, °C',
  colors: TEMPERATURE_COLORS,
  format: (value) => (value - 273.15).toFixed(0),
};
const HUMIDITY: Entry = {
  title: 'Relative humidity over ice, %',
  colors: HUMIDITY_COLORS,
  format: (value) => (100 * value).toFixed(0),
};

/** What the colours of the map mean. */
export function Legend({ state }: { readonly state: MapState }) {
  const entries = [
    ...(state.layer === 'index' ? [INDEX] : []),
    ...(state.layer === 'ef' ? [FORCING] : []),
    ...(state.weather === 'temperature' ? [TEMPERATURE] : []),
    ...(state.weather === 'humidity' ? [HUMIDITY] : []),
  ];
  const isBinary = state.layer === 'sac' || state.layer === 'issr' || state.layer === 'pcr';
  return (
    <div class="legend">
      {entries.map((entry) => (
        <Bar key={entry.title} {...entry} />
      ))}
      {isBinary && (
        <p>
          <i class={`swatch ${state.layer}`} /> {BINARY_NAMES[state.layer]}
        </p>
      )}
      {state.threshold > 0 && (
        <p>
          <i class="swatch avoid" /> index {state.threshold} or more
        </p>
      )}
      {state.segments && (
        <p>
          <i class="swatch lines" /> line in a satellite image
        </p>
      )}
      {state.detections && (
        <p>
          <i class="swatch pixels" /> pixel that may be a contrail
        </p>
      )}
    </div>
  );
}

const BINARY_NAMES = {
  sac: 'contrails form',
  issr: 'supersaturated over ice',
  pcr: 'contrails form and persist',
} as const satisfies Partial<Record<MapState['layer'], string>> & Record<string, string>;

const TICKS = 5;

function Bar({ title, colors, format }: Entry) {
  const steps = legendSteps(colors, 41);
  const ticks = legendSteps(colors, TICKS);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg viewBox="0 0 40 1" preserveAspectRatio="none" aria-hidden="true">
        {steps.map(({ color }, k) => (
          <rect key={k} x={k} width="1.02" height="1" fill={color} />
        ))}
      </svg>
      <div class="ticks">
        {ticks.map(({ value }) => (
          <span key={value}>{format(value)}</span>
        ))}
      </div>
    </figure>
  );
}
