import { useEffect, useState } from 'preact/hooks';
import { cellsOf, type Region, regionAxes, regionOfView } from '../compute/region.ts';
import { SCALINGS, type Scaling } from '../compute/scalings.ts';
import { saveFile } from '../save-file.ts';
import { useSession } from '../shell/session.ts';
import { TypedField } from '../shell/typed-field.tsx';
import { bytesText, timeText } from '../text.ts';
import { type HereResult, LIFE_HOURS } from './compute-here.ts';
import { SCALING_NAMES, servedTypes } from './layer-names.ts';
import { AIRCRAFT_TYPES, type AircraftType, HOUR_MS, hourText, type MapState } from './map-state.ts';
import type { Computed } from './use-computed.ts';

interface ComputePanelProps {
  readonly state: MapState;
  readonly timeMs: number;
  readonly computed: Computed;
  readonly onChange: (change: Partial<MapState>) => void;
}

const DEFAULT_SCALING: Scaling = 'exponential_boost_latitude_customization';

/** Has energy forcing computed on the GPU of this device, for an aircraft, humidity and time of the visitor's choice. */
export function ComputePanel({ state, timeMs, computed, onChange }: ComputePanelProps) {
  const { status } = useSession();
  const { available, work, result } = computed;
  const [type, setType] = useState<AircraftType>(state.aircraftType);
  const [scaling, setScaling] = useState<Scaling>(state.here ?? DEFAULT_SCALING);
  const [hour, setHour] = useState(timeMs);
  const [isOpen, setOpen] = useState(state.here !== undefined);
  const region = useRegionInView();

  useEffect(() => setType(state.aircraftType), [state.aircraftType]);
  useEffect(() => setHour(timeMs), [timeMs]);
  useEffect(() => {
    if (state.here === undefined) return;
    setScaling(state.here);
    setOpen(true);
  }, [state.here]);

  /** The layer of the service, of a type that it has. */
  const leave = () => {
    const served = servedTypes(status);
    const [first = state.aircraftType] = served;
    onChange({
      here: undefined,
      aircraftType: served.includes(state.aircraftType) ? state.aircraftType : first,
    });
  };
  const compute = () => {
    onChange({ layer: 'ef', aircraftType: type, here: scaling, timeMs: hour });
    computed.renew();
  };
  return (
    <details
      class="compute"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open);
        if (open) computed.look();
      }}
    >
      <summary>Compute here, on this device</summary>
      {available === undefined && <p class="hint">Looking for a GPU…</p>}
      {available !== undefined && 'reason' in available && (
        <p class="hint">{available.reason} The layers are those of the service.</p>
      )}
      {available !== undefined && 'name' in available && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            compute();
          }}
        >
          <p class="hint">
            Energy forcing of what is in view at FL{state.flightLevel}
            {region && `, ${cellsOf(region).toLocaleString('en')} cells of 0.25°`}: the service sends its
            weather for
            {` ${LIFE_HOURS} hours`}, at most 64 MiB, and your GPU ({available.name}) follows the contrails.
            {available.isSlow && ' It is a program that imitates one: this takes minutes.'}
          </p>
          <label class="field">
            Aircraft
            <select value={type} onChange={({ currentTarget: { value } }) => setType(value as AircraftType)}>
              {AIRCRAFT_TYPES.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label class="field">
            Humidity correction
            <select value={scaling} onChange={({ currentTarget: { value } }) => setScaling(value as Scaling)}>
              {SCALINGS.map((name) => (
                <option key={name} value={name}>
                  {SCALING_NAMES[name]}
                </option>
              ))}
            </select>
          </label>
          <TypedField
            label="Hour (UTC)"
            type="datetime-local"
            step={3600}
            value={`${hourText(hour)}:00`}
            onValue={(value) => setHour(hourOf(value) ?? hour)}
          />
          {work.state === 'running' ? (
            <div class="progress" role="status">
              <span>{work.progress.text}</span>
              <progress aria-label="Progress of the computation" value={work.progress.share} />
              <button type="button" onClick={leave}>
                Cancel
              </button>
            </div>
          ) : (
            <button type="submit" class="primary" disabled={region === undefined}>
              {region === undefined ? 'Zoom in to compute' : 'Compute this region'}
            </button>
          )}
          {work.state === 'failed' && (
            <p class="error" role="alert">
              {work.message}
            </p>
          )}
          {result !== undefined && <Summary result={result} onLeave={leave} />}
        </form>
      )}
    </details>
  );
}

function Summary({ result, onLeave }: { readonly result: HereResult; readonly onLeave: () => void }) {
  const { request, contrails, unforced, outside, weatherEndMs, seconds, weatherBytes } = result;
  const cells = cellsOf(request.region);
  const sentences = [
    `${contrails.toLocaleString('en')} of ${cells.toLocaleString('en')} cells have a contrail.`,
    `The GPU took ${seconds.toFixed(1)} s; ${weatherBytes === 0 ? 'the weather was here' : `${bytesText(weatherBytes)} of weather were downloaded`}.`,
    ...(weatherEndMs < request.timeMs + LIFE_HOURS * HOUR_MS
      ? [`The weather ends at ${timeText(weatherEndMs)}: contrails that live longer count until then.`]
      : []),
    ...(unforced === 0
      ? []
      : [
          `${unforced.toLocaleString('en')} of them have no radiation, and no forcing, for a part of their lives.`,
        ]),
    ...(outside === 0 ? [] : [`${outside.toLocaleString('en')} cells lie outside the weather.`]),
  ];
  return (
    <div role="status">
      <p class="hint">{sentences.join(' ')}</p>
      <div class="compute-buttons">
        <button
          type="button"
          class="quiet"
          onClick={() => saveFile(fileName(result), 'text/csv', csvOf(result))}
        >
          Save CSV
        </button>
        <button type="button" class="quiet" onClick={onLeave}>
          Layer of the service
        </button>
      </div>
    </div>
  );
}

/** The region whose cells would be computed now; undefined where it is too large, or there is no map yet. */
function useRegionInView(): Region | undefined {
  const { stage } = useSession();
  const [region, setRegion] = useState<Region>();
  useEffect(() => {
    if (stage === undefined) return;
    const look = () => setRegion(regionOfView(stage.view()));
    look();
    return stage.onMove(look);
  }, [stage]);
  return region;
}

function hourOf(text: string): number | undefined {
  const timeMs = Date.parse(`${text}Z`);
  return Number.isNaN(timeMs) ? undefined : Math.floor(timeMs / HOUR_MS) * HOUR_MS;
}

function fileName({ request: { aircraftType, flightLevel, timeMs } }: HereResult): string {
  return `contrails-ef-${aircraftType}-fl${flightLevel}-${hourText(timeMs)}.csv`;
}

function csvOf({ request: { region }, efPerM, ageHours }: HereResult): string {
  const { longitude, latitude } = regionAxes(region);
  const rows = ['longitude,latitude,ef_per_m,contrail_age_hours'];
  longitude.forEach((x, i) => {
    latitude.forEach((y, j) => {
      const cell = i * latitude.length + j;
      rows.push(`${x},${y},${efPerM[cell]},${ageHours[cell]}`);
    });
  });
  return `${rows.join('\n')}\n`;
}
