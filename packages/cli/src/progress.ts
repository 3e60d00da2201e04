import cliProgress from 'cli-progress';

/** Shows how far one thing has come; `to` takes the amount done so far. */
export interface Tracker {
  to(done: number): void;
  end(): void;
}

export interface Progress {
  track(label: string, total: number, unit: string): Tracker;
  close(): void;
}

export interface ProgressStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
}

/** Bars with rate and time left on a terminal, plain lines otherwise. */
export function openProgress(
  stream: ProgressStream = process.stderr,
  now: () => number = Date.now,
): Progress {
  return stream.isTTY === true ? bars(stream, now) : plainLines(stream, now);
}

/** What is said about a tracker besides its bar: `12/100 files, 3.4 files/s, 26 s left`. */
export function pace(done: number, total: number, unit: string, elapsedSeconds: number): string {
  const amount = unit === '%' ? `${trim(done)} %` : `${trim(done)}/${trim(total)} ${unit}`;
  if (done <= 0 || elapsedSeconds <= 0) return amount;
  const rate = done / elapsedSeconds;
  const left = done >= total ? '' : `, ${duration((total - done) / rate)} left`;
  return `${amount}, ${trim(rate)} ${unit}/s${left}`;
}

function bars(stream: NodeJS.WritableStream, now: () => number): Progress {
  const board = new cliProgress.MultiBar(
    { stream, format: '{label} {bar} {pace}', hideCursor: true, barsize: 30, autopadding: true },
    cliProgress.Presets.shades_classic,
  );
  return {
    track(label, total, unit) {
      const startedMs = now();
      const says = (done: number) => ({ label, pace: pace(done, total, unit, (now() - startedMs) / 1000) });
      const bar = board.create(total, 0, says(0));
      return { to: (done) => bar.update(done, says(done)), end: () => bar.stop() };
    },
    close: () => board.stop(),
  };
}

/** One line at the start, at every tenth of the way and at least every ten seconds. */
function plainLines(stream: NodeJS.WritableStream, now: () => number): Progress {
  return {
    track(label, total, unit) {
      const startedMs = now();
      let lastMs = -Infinity;
      let lastTenth = -1;
      return {
        to(done) {
          const tenth = Math.floor((done / total) * 10);
          if (tenth === lastTenth && now() - lastMs < 10_000) return;
          lastTenth = tenth;
          lastMs = now();
          stream.write(`${label}: ${pace(done, total, unit, (now() - startedMs) / 1000)}\n`);
        },
        end() {},
      };
    },
    close() {},
  };
}

function trim(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
