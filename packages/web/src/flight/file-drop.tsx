import { useState } from 'preact/hooks';
import type { FlightInput } from '../track.ts';
import { loadAirports } from './airports.ts';

/** What was typed, and what became of the last files. */
export interface FileReport {
  readonly text: string;
  readonly error: string | undefined;
  readonly notes: readonly string[];
}

export const NO_FILES: FileReport = { text: '', error: undefined, notes: [] };

interface FileDropProps {
  readonly report: FileReport;
  readonly onReport: (report: FileReport) => void;
  readonly onFlights: (flights: readonly FlightInput[]) => void;
  /** Nothing could be read, so nothing shown belongs to the file. */
  readonly onFailure: () => void;
}

const MAX_BYTES = 64 * 2 ** 20;

/** Takes flights from files that are dropped or chosen, or from text that is pasted. */
export function FileDrop({ report, onReport, onFlights, onFailure }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  const { text, error, notes } = report;

  const read = async (files: readonly File[]) => {
    if (files.length === 0) return;
    try {
      const tooLarge = files.find(({ size }) => size > MAX_BYTES);
      if (tooLarge !== undefined)
        throw new Error(`${tooLarge.name} is larger than 64 MiB; cut it to fewer flights.`);
      // The readers are loaded when a file comes.
      const { readFlights } = await import('./read-file.ts');
      // Only flight plans need airports; without them a plan reports an error.
      const found = await readFlights(files, await loadAirports().catch(() => []));
      onReport({ ...report, notes: found.notes, error: undefined });
      onFlights(found.flights);
    } catch (problem) {
      const message = problem instanceof Error ? problem.message : String(problem);
      onReport({ ...report, notes: [], error: message });
      onFailure();
    }
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
          read([...(event.dataTransfer?.files ?? [])]);
        }}
      >
        <input type="file" multiple onChange={(event) => read([...(event.currentTarget.files ?? [])])} />
        <b>Drop flight files or choose them</b>
        <small>
          Flight plans (ARINC 633, ICAO), FlightRadar24, SO6, ALL_FT+, recorder tables, Parquet, CSV, GeoJSON,
          GPX, KML, IGC, readsb traces
        </small>
      </label>
      <details>
        <summary>Paste text instead</summary>
        <textarea
          aria-label="Flight as text"
          rows={5}
          spellcheck={false}
          placeholder="time,longitude,latitude,altitude…"
          value={text}
          onInput={(event) => onReport({ ...report, text: event.currentTarget.value })}
        />
        <button
          type="button"
          disabled={text.trim() === ''}
          onClick={() => read([new File([`${text}\n`], 'pasted flight')])}
        >
          Read
        </button>
      </details>
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {notes.length > 0 && (
        <ul class="notes" role="status">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
