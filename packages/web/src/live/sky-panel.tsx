import type { ComponentChildren } from 'preact';
import { energyText } from '../text.ts';
import { COLORINGS, CONTRAIL_CHOICES, callsignOf, type LiveState, MIN_LEVELS } from './live-state.ts';
import type { Aircraft, Sky } from './sky.ts';
import { isShown } from './sky-marks.ts';
import { levelText } from './sky-text.ts';

const COLORING_NAMES: Readonly<Record<LiveState['coloring'], string>> = {
  now: 'forcing now',
  energy: 'energy',
};
const CONTRAIL_NAMES: Readonly<Record<LiveState['contrails'], string>> = {
  all: 'all',
  warming: 'warming',
  cooling: 'cooling',
  none: 'none',
};
/** Aircraft that the list has. */
const MAX_LISTED = 12;

interface SkyPanelProps {
  readonly sky: Sky;
  readonly state: LiveState;
  readonly onChange: (change: Partial<LiveState>) => void;
}

/** What is shown, and the aircraft that warm most, for the keyboard and for eyes. */
export function SkyPanel({ sky, state, onChange }: SkyPanelProps) {
  const { count, listed } = largestOf(sky, state);
  return (
    <div class="layers">
      <fieldset>
        <legend>Contrails</legend>
        <Choice
          name="contrails"
          values={CONTRAIL_CHOICES}
          names={CONTRAIL_NAMES}
          value={state.contrails}
          onChoose={(contrails) => onChange({ contrails })}
        />
      </fieldset>
      <fieldset>
        <legend>Coloured by</legend>
        <Choice
          name="coloring"
          values={COLORINGS}
          names={COLORING_NAMES}
          value={state.coloring}
          onChoose={(coloring) => onChange({ coloring })}
        />
      </fieldset>
      <fieldset>
        <legend>Aircraft</legend>
        <label class="field">
          Callsign begins with
          <input
            type="search"
            autocomplete="off"
            spellcheck={false}
            value={state.callsign}
            onInput={({ currentTarget: { value } }) => onChange({ callsign: callsignOf(value) })}
          />
        </label>
        <label class="field">
          Level
          <select
            value={state.minLevel}
            onChange={({ currentTarget: { value } }) =>
              onChange({ minLevel: MIN_LEVELS.find((level) => String(level) === value) ?? 0 })
            }
          >
            {MIN_LEVELS.map((level) => (
              <option key={level} value={level}>
                {level === 0 ? 'all' : `FL${level} and above`}
              </option>
            ))}
          </select>
        </label>
        <Toggle isOn={state.isLasting} onChange={(isLasting) => onChange({ isLasting })}>
          Only with contrails that last
        </Toggle>
        <Toggle isOn={state.hasNight} onChange={(hasNight) => onChange({ hasNight })}>
          Night side of the Earth
        </Toggle>
      </fieldset>
      <fieldset>
        <legend>
          {count === listed.length
            ? 'Shown'
            : `The ${MAX_LISTED} of ${count.toLocaleString('en')} with most forcing`}
        </legend>
        <ul class="sky-list">
          {listed.map(({ facts }) => (
            <li key={facts.id}>
              <button type="button" onClick={() => onChange({ flight: facts.id })}>
                <b>{facts.callsign ?? facts.icao_address}</b>{' '}
                <small>
                  {facts.aircraft_type_icao ?? ''} {levelText(facts.altitude_ft)}
                </small>
                <span>{facts.energy_forcing_so_far_j ? energyText(facts.energy_forcing_so_far_j) : '–'}</span>
              </button>
            </li>
          ))}
        </ul>
        {count === 0 && (
          <p class="hint">
            {sky.aircraft.size > 0 ? 'No aircraft fits these filters.' : 'No aircraft is reported yet.'}
          </p>
        )}
      </fieldset>
    </div>
  );
}

/** How many aircraft fit the filters, and those that warm or cool most. Scanned many times a minute, so not sorted. */
function largestOf(sky: Sky, state: LiveState): { readonly count: number; readonly listed: Aircraft[] } {
  const size = ({ facts }: Aircraft) => Math.abs(facts.energy_forcing_so_far_j ?? 0);
  const listed: Aircraft[] = [];
  let count = 0;
  for (const aircraft of sky.aircraft.values()) {
    if (!isShown(aircraft, state)) continue;
    count++;
    const last = listed[MAX_LISTED - 1];
    if (last !== undefined && size(aircraft) <= size(last)) continue;
    const index = listed.findIndex((other) => size(other) < size(aircraft));
    listed.splice(index < 0 ? listed.length : index, 0, aircraft);
    listed.length = Math.min(listed.length, MAX_LISTED);
  }
  return { count, listed };
}

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly values: readonly T[];
  readonly names: Readonly<Record<T, string>>;
  readonly value: T;
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>({ name, values, names, value, onChoose }: ChoiceProps<T>) {
  return (
    <div class="segments">
      {values.map((one) => (
        <label key={one}>
          <input type="radio" name={name} checked={one === value} onChange={() => onChoose(one)} />
          <span>{names[one]}</span>
        </label>
      ))}
    </div>
  );
}

function Toggle({
  isOn,
  onChange,
  children,
}: {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children: ComponentChildren;
}) {
  return (
    <label class="toggle">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {children}
    </label>
  );
}
