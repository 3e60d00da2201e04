export interface Progress {
  report(fraction: number, note: string | undefined): void;
  /** Nothing is written any more. */
  close(): void;
}

/** Passes on the first report at once and then the latest one about every `intervalMs`. */
export function createProgress(
  write: (fraction: number, note: string | null) => Promise<void>,
  intervalMs = 1_000,
): Progress {
  let latest: { fraction: number; note: string | null } | undefined;
  let note: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    if (latest === undefined) return;
    const { fraction, note } = latest;
    latest = undefined;
    timer = setTimeout(flush, intervalMs);
    // A report that the database loses is made up for by the next one.
    write(fraction, note).catch(() => undefined);
  };
  return {
    report(fraction, newNote) {
      note = newNote ?? note;
      latest = { fraction: Math.min(1, Math.max(0, fraction || 0)), note };
      if (timer === undefined) flush();
    },
    close() {
      clearTimeout(timer);
      latest = undefined;
    },
  };
}
