import { useEffect, useState } from 'preact/hooks';
import { type Airport, loadAirports, searchAirports } from './airports.ts';

interface AirportFieldProps {
  readonly label: string;
  readonly id: string;
  readonly initial: string;
  readonly onChange: (airport: Airport | undefined) => void;
}

/** An airport by code, town or name. */
export function AirportField({ label, id, initial, onChange }: AirportFieldProps) {
  const [airports, setAirports] = useState<readonly Airport[]>([]);
  const [text, setText] = useState(initial);

  useEffect(() => {
    loadAirports().then(setAirports, () => undefined);
  }, []);

  // A list offers codes with their names behind them.
  const code = text.split(' ')[0] ?? '';
  const matches = searchAirports(airports, airports.some(({ icao }) => icao === code) ? code : text);
  const [chosen] = matches;
  // Also when the airports arrive after the text was typed.
  useEffect(() => onChange(chosen), [chosen, onChange]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        aria-describedby={`${id}-name`}
        list={`${id}-list`}
        value={text}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <datalist id={`${id}-list`}>
        {matches.map(({ icao, iata, name, town }) => (
          <option key={icao} value={icao}>
            {[iata, name, town].filter(Boolean).join(', ')}
          </option>
        ))}
      </datalist>
      <small>
        {chosen === undefined && (airports.length === 0 ? '\u00a0' : 'No such airport')}
        {chosen !== undefined && `${chosen.town || chosen.name} (${chosen.icao})`}
      </small>
    </div>
  );
}
