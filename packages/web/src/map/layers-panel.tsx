import type { ServiceStatus } from '@contrails/client';
import type { ComponentChildren } from 'preact';
import { useSession } from '../shell/session.ts';
import { bufferSentence } from './benchmark.ts';
import { ComputePanel } from './compute-panel.tsx';
import { CLASS_NAMES, LAYER_NAMES, servedTypes, WEATHER_NAMES } from './layer-names.ts';
import {
  AIRCRAFT_CLASSES,
  AIRCRAFT_TYPES,
  type AircraftClass,
  type AircraftType,
  LAYERS,
  MAX_BUFFER,
  type MapState,
  WEATHER_LAYERS,
} from './map-state.ts';
import { isBinary } from './shape-styles.ts';
import { SkillCurve } from './skill-curve.tsx';
import type { Computed } from './use-computed.ts';

interface LayersPanelProps {
  readonly state: MapState;
  readonly timeMs: number;
  readonly computed: Computed;
  readonly onChange: (change: Partial<MapState>) => void;
}

/** Chooses what the map shows. */
export function LayersPanel({ state, timeMs, computed, onChange }: LayersPanelProps) {
  const { status } = useSession();
  return (
    <div class="layers">
      <fieldset>
        <legend>Contrails</legend>
        {LAYERS.map((layer) => (
          <Choice
            key={layer}
            name="layer"
            isChosen={state.layer === layer}
            onChoose={() => onChange({ layer })}
          >
            <span>{LAYER_NAMES[layer][0]}</span>
            <small>{LAYER_NAMES[layer][1]}</small>
          </Choice>
        ))}
        {state.layer === 'index' && (
          <label class="field">
            Aircraft class
            <select
              value={state.aircraftClass}
              onChange={(event) => onChange({ aircraftClass: event.currentTarget.value as AircraftClass })}
            >
              {AIRCRAFT_CLASSES.map((name) => (
                <option key={name} value={name}>
                  {CLASS_NAMES[name]}
                </option>
              ))}
            </select>
          </label>
        )}
        {state.layer === 'ef' && (
          <label class="field">
            Aircraft type
            <select
              value={state.aircraftType}
              onChange={(event) => onChange({ aircraftType: event.currentTarget.value as AircraftType })}
            >
              {typesOf(status, state.aircraftType).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
      </fieldset>
      {(state.layer === 'ef' || state.layer === 'index') && (
        <ComputePanel state={state} timeMs={timeMs} computed={computed} onChange={onChange} />
      )}
      <fieldset>
        <legend>Regions to avoid, index at least</legend>
        <div class="segments">
          {[0, 1, 2, 3, 4].map((threshold) => (
            <label key={threshold}>
              <input
                type="radio"
                name="threshold"
                checked={state.threshold === threshold}
                onChange={() => onChange({ threshold })}
              />
              <span>{threshold === 0 ? 'off' : threshold}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {(isBinary(state.layer) || state.threshold > 0) && (
        <fieldset class="buffer">
          <legend>Widen the regions</legend>
          <label class="field">
            Buffer, cells of 0.25°
            <input
              type="range"
              min={0}
              max={MAX_BUFFER}
              value={state.buffer}
              aria-valuetext={bufferSentence(state.buffer)}
              onInput={(event) => onChange({ buffer: Number(event.currentTarget.value) })}
            />
          </label>
          <p class="hint" aria-live="polite">
            {bufferSentence(state.buffer)} <a href="docs/skill">How to read it</a> ·{' '}
            <a href="#/skill">This forecast</a>
          </p>
          <SkillCurve buffer={state.buffer} />
        </fieldset>
      )}
      <fieldset>
        <legend>Weather behind</legend>
        <div class="segments">
          {WEATHER_LAYERS.map((weather) => (
            <label key={weather}>
              <input
                type="radio"
                name="weather"
                checked={state.weather === weather}
                onChange={() => onChange({ weather })}
              />
              <span>{WEATHER_NAMES[weather]}</span>
            </label>
          ))}
        </div>
        <Toggle isOn={state.wind} onToggle={(wind) => onChange({ wind })}>
          Wind
        </Toggle>
      </fieldset>
      <fieldset>
        <legend>Seen in this hour</legend>
        <Toggle isOn={state.traffic} onToggle={(traffic) => onChange({ traffic })}>
          Air traffic (telemetry)
        </Toggle>
        <Toggle isOn={state.segments} onToggle={(segments) => onChange({ segments })}>
          Contrail lines (satellite)
        </Toggle>
        <Toggle isOn={state.detections} onToggle={(detections) => onChange({ detections })}>
          Contrail pixels (satellite)
        </Toggle>
      </fieldset>
    </div>
  );
}

function Choice(props: {
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    <label class="choice">
      <input type="radio" name={props.name} checked={props.isChosen} onChange={props.onChoose} />
      <span>{props.children}</span>
    </label>
  );
}

function Toggle(props: {
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
  readonly children: ComponentChildren;
}) {
  return (
    <label class="toggle">
      <input
        type="checkbox"
        checked={props.isOn}
        onChange={(event) => props.onToggle(event.currentTarget.checked)}
      />
      {props.children}
    </label>
  );
}

/** Types of which the service has grids, with the chosen one. */
function typesOf(status: ServiceStatus | undefined, chosen: AircraftType): readonly AircraftType[] {
  const served = servedTypes(status);
  return AIRCRAFT_TYPES.filter((type) => type === chosen || served.includes(type));
}
