import cliProgress from 'cli-progress';

/** Shows how far one thing has come; `to` takes the amount done so far, and of how many items. It never goes back. */
export interface Tracker {
  to(done: number, items?: number): void;
  end(): void;
}

export interface Progress {
  /** With an infinite total there is no bar and no time left. Items give the rate where the unit cannot, such as %. */
  track(label: string, total: number, unit: string, options?: TrackOptions): Tracker;
  close(): void;
}

export interface TrackOptions {
  readonly itemUnit?: string;
  /** What was done before, which the rate does not count. */
  readonly before?: number;
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

/** Text next to a tracker's bar: `12/100 files, 3.4 files/s, 26 s left`. */
export function pace(
  done: number,
  total: number,
  unit: string,
  elapsedSeconds: number,
  items?: { readonly count: number; readonly unit: string },
  before = 0,
): string {
  const isOpen = total === Number.POSITIVE_INFINITY;
  const whole = isOpen ? '' : `/${trim(total)}`;
  const amount = unit === '%' ? `${trim(done)} %` : `${trim(done)}${whole} ${unit}`;
  const fresh = done - before;
  if (fresh <= 0 || elapsedSeconds <= 0) return amount;
  const left = isOpen || done >= total ? '' : `, ${duration(((total - done) * elapsedSeconds) / fresh)} left`;
  const { count, unit: rateUnit } = items ?? { count: fresh, unit };
  return `${amount}, ${trim(count / elapsedSeconds)} ${rateUnit}/s${left}`;
}

function bars(stream: NodeJS.WritableStream, now: () => number): Progress {
  const board = new cliProgress.MultiBar(
    {
      stream,
      format: '{label} {bar} {pace}',
      hideCursor: true,
      barsize: 30,
      autopadding: true,
      clearOnComplete: true,
      // It would swallow the signal: the program ends, and the bar with it.
      gracefulExit: false,
    },
    cliProgress.Presets.shades_classic,
  );
  let isDrawn = false;
  // What was never drawn leaves the terminal as it is, and what was drawn goes when it ends: results follow.
  const stop = () => {
    if (!isDrawn) return;
    isDrawn = false;
    board.update();
    board.stop();
  };
  process.once('exit', stop);
  const lines = plainLines(stream, now);
  return {
    track(label, total, unit, options) {
      if (total === Number.POSITIVE_INFINITY) return lines.track(label, total, unit, options);
      const meter = new Meter(total, unit, options, now);
      isDrawn = true;
      const bar = board.create(total, 0, { label, pace: meter.to(0) });
      return {
        to(done, items) {
          const text = meter.to(done, items);
          bar.update(meter.done, { label, pace: text });
        },
        end: () => bar.stop(),
      };
    },
    close() {
      stop();
      process.off('exit', stop);
    },
  };
}

/** One line at the start, at every tenth of the way and at least every ten seconds. */
function plainLines(stream: NodeJS.WritableStream, now: () => number): Progress {
  return {
    track(label, total, unit, options) {
      const meter = new Meter(total, unit, options, now);
      let lastMs = -Infinity;
      let lastTenth = -1;
      return {
        to(done, items) {
          const text = meter.to(done, items);
          const tenth = Math.floor((meter.done / total) * 10);
          if (tenth === lastTenth && now() - lastMs < 10_000) return;
          lastTenth = tenth;
          lastMs = now();
          stream.write(`${label}: ${text}\n`);
        },
        end() {},
      };
    },
    close() {},
  };
}

/** The most that was ever reported, and how fast it came. */
class Meter {
  done = 0;
  private items = 0;
  private readonly startedMs: number;
  private readonly total: number;
  private readonly unit: string;
  private readonly options: TrackOptions;
  private readonly now: () => number;

  constructor(total: number, unit: string, options: TrackOptions | undefined, now: () => number) {
    this.total = total;
    this.unit = unit;
    this.options = options ?? {};
    this.now = now;
    this.startedMs = now();
  }

  to(done: number, items = 0): string {
    this.done = Math.max(this.done, done);
    this.items = Math.max(this.items, items);
    const elapsed = (this.now() - this.startedMs) / 1000;
    const { itemUnit, before } = this.options;
    const counted = itemUnit === undefined ? undefined : { count: this.items, unit: itemUnit };
    return pace(this.done, this.total, this.unit, elapsed, counted, before);
  }
}

function trim(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
