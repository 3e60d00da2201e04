import { useState } from 'preact/hooks';
import type { FlightInput } from '../track.ts';
import { readFlights } from './read-file.ts';

interface FileDropProps {
  readonly onFlights: (flights: readonly FlightInput[]) => void;
}

const MAX_BYTES = 30e6;

/** Takes flights from a file that is dropped or chosen, or from text that is pasted. */
export function FileDrop({ onFlights }: FileDropProps) {
  const [error, setError] = useState<string>();
  const [isOver, setOver] = useState(false);
  const [text, setText] = useState('');

  const read = (content: string, name: string) => {
    try {
      onFlights(readFlights(content, name));
      setError(undefined);
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    }
  };
  const readFile = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAX_BYTES) setError(`${file.name} is larger than 30 MB; cut it to one flight.`);
    else read(await file.text(), file.name);
  };

  return (
    <div class="file-drop">
      <label
        class={`drop ${isOver ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          readFile(event.dataTransfer?.files[0]);
        }}
      >
        <input
          type="file"
          accept=".csv,.json,.geojson,.gpx,.kml,.txt"
          onChange={(event) => readFile(event.currentTarget.files?.[0])}
        />
        <b>Drop a track or choose a file</b>
        <small>CSV, GeoJSON, GPX, KML, JSON of this service, readsb trace</small>
      </label>
      <details>
        <summary>Paste text instead</summary>
        <textarea
          aria-label="Flight as text"
          rows={5}
          spellcheck={false}
          placeholder="time,longitude,latitude,altitude…"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="button" disabled={text.trim() === ''} onClick={() => read(text, 'pasted flight')}>
          Read
        </button>
      </details>
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
