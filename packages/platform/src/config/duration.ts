import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@contrails/runtime';
import { Type } from 'typebox';

const UNIT_MS: Readonly<Record<string, number>> = { s: SECOND_MS, min: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const PATTERN = /^(\d+(?:\.\d+)?) ?(s|min|h|d)$/;

/** The schema of a setting that is a duration. */
export function duration(description: string, fallback?: string) {
  return Type.String({
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
    pattern: PATTERN.source,
    allowed: 'a duration such as 90s, 15min, 3h or 7d',
  });
}

export function durationMs(text: string): number {
  const [, amount = '', unit = ''] = PATTERN.exec(text) ?? [];
  return Math.round(Number(amount) * (UNIT_MS[unit] ?? Number.NaN));
}
