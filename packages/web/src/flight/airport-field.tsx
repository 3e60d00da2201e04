import { useEffect, useState } from 'preact/hooks';
import { type Airport, airportByCode, airportText, loadAirports, searchAirports } from './airports.ts';

interface AirportFieldProps {
  readonly label: string;
  readonly id: string;
  readonly initial: string;
  readonly onChange: (airport: Airport | undefined) => void;
}

/** An airport by its code, or by town or name from a list: a town may have several, so one is chosen by hand. */
export function AirportField({ label, id, initial, onChange }: AirportFieldProps) {
  const [airports, setAirports] = useState<readonly Airport[]>([]);
  const [text, setText] = useState(initial);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);

  useEffect(() => {
    loadAirports().then(setAirports, () => undefined);
  }, []);

  const matches = isOpen ? searchAirports(airports, text) : [];
  const chosen = airportByCode(airports, text);
  // Also when the airports arrive after the text was typed.
  useEffect(() => onChange(chosen), [chosen, onChange]);

  const choose = (airport: Airport | undefined) => {
    if (airport === undefined) return;
    setText(airport.icao);
    setOpen(false);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      setOpen(false);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((k) => (matches.length === 0 ? 0 : (k + step + matches.length) % matches.length));
    } else if (event.key === 'Enter' && isOpen && matches.length > 0 && chosen === undefined) {
      event.preventDefault();
      choose(matches[active]);
    }
  };

  return (
    <div class="field airport">
      <label for={id}>{label}</label>
      <input
        id={id}
        role="combobox"
        aria-describedby={`${id}-name`}
        aria-autocomplete="list"
        aria-expanded={matches.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={matches.length > 0 ? `${id}-${active}` : undefined}
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
          setOpen(true);
        }}
        onFocus={(event) => event.currentTarget.select()}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      <div
        class="options"
        id={`${id}-list`}
        role="listbox"
        aria-label={`Airports, ${label}`}
        hidden={matches.length === 0}
      >
        {matches.map((airport, k) => (
          <div
            key={airport.icao}
            id={`${id}-${k}`}
            role="option"
            tabIndex={-1}
            aria-selected={k === active}
            onPointerDown={(event) => {
              // Before the field loses the focus, which closes the list.
              event.preventDefault();
              choose(airport);
            }}
          >
            <b>{airport.iata || airport.icao}</b> {airportText(airport)}
          </div>
        ))}
      </div>
      <small id={`${id}-name`}>{chosen === undefined ? hintOf(airports, text) : airportText(chosen)}</small>
    </div>
  );
}

function hintOf(airports: readonly Airport[], text: string): string {
  if (airports.length === 0) return '\u00a0';
  return searchAirports(airports, text, 1).length > 0 ? 'Choose one from the list' : 'No such airport';
}
