import type { Log } from './log.ts';

/**
 * npm and the start script pass on the signal that the terminal has already sent to everyone, so the same Ctrl-C may
 * arrive several times; only one that comes later is a second one.
 */
const SAME_SIGNAL_MS = 1_000;
const LINGER_MS = 1_000;

/** Resolves with the first SIGTERM, SIGINT or SIGHUP; a second one ends the process at once. */
export function untilStopped(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let firstMs: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstMs === undefined) {
        firstMs = performance.now();
        log.info(`${signal}: finishing what is under way; a second signal stops at once`);
        resolve();
      } else if (performance.now() - firstMs > SAME_SIGNAL_MS) {
        log.warn(`${signal}: stopping at once`);
        process.exit(1);
      }
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}

/** To be called when all is closed: what a handler left behind, such as a timer, must not keep the process alive. */
export function endSoon(log: Log): void {
  setTimeout(() => {
    log.warn('something is still under way after everything was closed; ending without it');
    process.exit();
  }, LINGER_MS).unref();
}
