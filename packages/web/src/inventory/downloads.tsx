import { useState } from 'preact/hooks';
import { saveFile } from '../save-file.ts';
import { messageOf, service } from '../service.ts';
import { type Days, daysBetween } from './load-days.ts';

const FORMATS = { csv: 'CSV', parquet: 'Parquet' } as const;

/** The flights that the filter leaves, with all columns, as the service writes them. */
export function Downloads({ days: { from, to }, text }: { readonly days: Days; readonly text: string }) {
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<string>();
  const search = text.trim();
  const download = async (format: keyof typeof FORMATS) => {
    setBusy(format);
    setError(undefined);
    try {
      const query = {
        date: from,
        ...(to !== from && { days: daysBetween(from, to) }),
        ...(search !== '' && { search }),
        format,
      };
      const file = await service.inventory.summary(query);
      const days = to === from ? from : `${from}_${to}`;
      saveFile(`inventory_${days}.${format}`, '', new Blob([await file.arrayBuffer()]));
    } catch (problem) {
      setError(messageOf(problem));
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <div class="exports">
      <span class="hint">{search === '' ? 'All flights' : 'The filtered flights'} with all columns:</span>
      {Object.entries(FORMATS).map(([format, name]) => (
        <button
          key={format}
          type="button"
          disabled={busy !== undefined}
          onClick={() => download(format as keyof typeof FORMATS)}
        >
          {busy === format ? `${name}…` : name}
        </button>
      ))}
      {error !== undefined && (
        <span class="error" role="alert">
          {error}
        </span>
      )}
    </div>
  );
}
