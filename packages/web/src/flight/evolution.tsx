import { useEffect, useState } from 'preact/hooks';
import type { MapStage } from '../stage/stage.ts';
import { timeText } from '../text.ts';
import type { ContrailFrame } from './result.ts';

interface EvolutionProps {
  readonly stage: MapStage;
  readonly frames: readonly ContrailFrame[];
}

const FRAME_MS = 180;

/** Plays the life of the contrail: shows one step of the model at a time. */
export function Evolution({ stage, frames }: EvolutionProps) {
  const [index, setIndex] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  const frame = frames[Math.min(index, frames.length - 1)];

  useEffect(() => {
    if (frame !== undefined) stage.filterShapes('contrail', ['==', ['get', 'time'], frame.timeMs]);
  }, [stage, frame]);

  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => setIndex((k) => (k + 1) % frames.length), FRAME_MS);
    return () => clearInterval(timer);
  }, [isPlaying, frames.length]);

  if (frame === undefined) return null;
  return (
    <div class="evolution">
      <button type="button" aria-pressed={isPlaying} onClick={() => setPlaying(!isPlaying)}>
        {isPlaying ? 'Pause' : 'Play the contrail'}
      </button>
      <input
        type="range"
        aria-label="Time of the contrail"
        aria-valuetext={timeText(frame.timeMs)}
        min={0}
        max={frames.length - 1}
        value={index}
        onInput={(event) => setIndex(Number(event.currentTarget.value))}
      />
      <output>{timeText(frame.timeMs)}</output>
    </div>
  );
}
