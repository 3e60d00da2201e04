import { useState } from 'preact/hooks';
import { messageOf } from '../service.ts';
import { handOver } from '../shell/handover.ts';
import { goTo } from '../shell/route.ts';
import { loadLeg, type Track } from './telemetry-tracks.ts';
import type { Hovered } from './use-traffic.ts';

interface TrafficPanelProps {
  readonly tracks: readonly Track[];
  readonly chosen: Track | undefined;
  readonly onChoose: (track: Track | undefined) => void;
}

/** A list of the aircraft for the keyboard, and what can be done with the one that is chosen. */
export function TrafficPanel({ tracks, chosen, onChoose }: TrafficPanelProps) {
  const [work, setWork] = useState<string>();
  const compute = async (track: Track) => {
    setWork('Looking for the rest of the flight…');
    try {
      handOver(await loadLeg(track));
      goTo('flight');
    } catch (error) {
      setWork(messageOf(error));
    }
  };
  if (tracks.length === 0) return null;
  return (
    <div class="notice picked">
      <label>
        Aircraft{' '}
        <select
          value={chosen?.id ?? ''}
          onChange={(event) => {
            setWork(undefined);
            onChoose(tracks.find(({ id }) => id === event.currentTarget.value));
          }}
        >
          <option value="">none</option>
          {tracks
            .toSorted((a, b) => a.name.localeCompare(b.name))
            .map(({ id, name, aircraftType }) => (
              <option key={id} value={id}>
                {name}
                {aircraftType === undefined ? '' : `, ${aircraftType}`}
              </option>
            ))}
        </select>
      </label>
      {chosen !== undefined && (
        <>
          <strong>{trackText(chosen)}</strong>
          <button type="button" class="primary" onClick={() => compute(chosen)}>
            Compute its contrails
          </button>
          <button type="button" class="quiet" onClick={() => onChoose(undefined)}>
            Close
          </button>
        </>
      )}
      {work !== undefined && <span role="status">{work}</span>}
    </div>
  );
}

/** Callsign, type and level beside the pointer. */
export function TrafficTip({ track, x, y }: Hovered) {
  return (
    <p class="tip" style={{ left: `${x + 14}px`, top: `${y + 10}px` }}>
      {trackText(track)}
    </p>
  );
}

function trackText({ name, aircraftType, points }: Track): string {
  const level = Math.round((points.at(-1)?.altitudeFt ?? 0) / 100);
  return `${name}, ${aircraftType ?? 'unknown type'}, FL${String(level).padStart(3, '0')}`;
}
