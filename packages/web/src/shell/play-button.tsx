interface PlayButtonProps {
  /** What it does while nothing plays. */
  readonly name: string;
  readonly isPlaying: boolean;
  readonly onPlay: (isPlaying: boolean) => void;
}

/** Plays a time bar, and pauses it. */
export function PlayButton({ name, isPlaying, onPlay }: PlayButtonProps) {
  return (
    <button
      type="button"
      class="play"
      aria-pressed={isPlaying}
      aria-label={isPlaying ? 'Pause' : name}
      onClick={() => onPlay(!isPlaying)}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d={isPlaying ? 'M5 4h3.5v12H5zM11.5 4H15v12h-3.5z' : 'M6 3.5v13L16.5 10z'} />
      </svg>
    </button>
  );
}
