import type { Finding } from '@contrails/platform/finding';

/** A clock elsewhere: how far ours was from it, and how exact that comparison can be. */
export interface OtherClock {
  readonly name: string;
  readonly aheadMs: number;
  readonly resolutionMs: number;
}

/** When this was written; an earlier clock is wrong in any case. */
const NOT_BEFORE_MS = Date.UTC(2025, 0, 1);

export function checkClock(nowMs: number, others: readonly OtherClock[]): Finding {
  const remedy = 'synchronise the clock of this machine, for instance with chrony or systemd-timesyncd';
  const time = new Date(nowMs).toISOString();
  if (nowMs < NOT_BEFORE_MS) {
    return { check: 'clock', state: 'fail', message: `it is ${time} here, which cannot be`, remedy };
  }
  const apart = others
    .map(({ name, aheadMs, resolutionMs }) => ({ name, ms: Math.max(0, Math.abs(aheadMs) - resolutionMs) }))
    .sort((a, b) => b.ms - a.ms);
  const [worst] = apart;
  if (worst === undefined)
    return { check: 'clock', state: 'ok', message: `${time}, with no other clock to compare` };
  const message =
    worst.ms === 0
      ? `agrees with ${others.map(({ name }) => name).join(' and ')}`
      : `${(worst.ms / 1000).toFixed(1)} s apart from ${worst.name}`;
  if (worst.ms <= 2_000) return { check: 'clock', state: 'ok', message };
  return { check: 'clock', state: worst.ms > 60_000 ? 'fail' : 'warn', message, remedy };
}
