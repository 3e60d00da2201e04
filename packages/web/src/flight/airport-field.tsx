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
    loadAirports().then(
      (loaded) => {
        setAirports(loaded);
        onChange(searchAirports(loaded, initial, 1)[0]);
      },
      () => undefined,
    );
  }, [initial, onChange]);

  const matches = searchAirports(airports, text);
  const [chosen] = matches;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        aria-describedby={`${id}-name`}
        list={`${id}-list`}
        value={text}
        autocomplete="off"
        onInput={(event) => {
          const typed = event.currentTarget.value;
          const code = typed.split(' ')[0] ?? '';
          setText(typed);
          onChange(searchAirports(airports, airports.some(({ icao }) => icao === code) ? code : typed, 1)[0]);
        }}
      />
      <datalist id={`${id}-list`}>
        {matches.map(({ icao, iata, name, town }) => (
          <option key={icao} value={icao}>
            {[iata, name, town].filter(Boolean).join(', ')}
          </option>
        ))}
      </datalist>
      <small>
        {chosen === undefined ? 'No such airport' : `${chosen.town || chosen.name} (${chosen.icao})`}
      </small>
    </div>
  );
}
