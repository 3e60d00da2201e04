/** Numbers, times and states as people read them. */

/** Where every view begins on a new installation. */
export const NO_WEATHER =
  'This service has no weather yet. Fetch it with “contrails met sync ecmwf”, or answer three questions with “contrails init”.';

/** `16 Nov 2026, 03:00 UTC` */
export function timeText(time: string | number): string {
  const text = new Date(time).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  });
  return `${text} UTC`;
}

export const DAY_MS = 86_400_000;

/** `16 Nov 2026` */
export function dateText(time: string | number): string {
  return new Date(time).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
}

export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

/** A number with a minus sign where it has a hyphen. */
export function withMinus(number: string): string {
  return number.replace('-', '−');
}

/** Kilograms below a tonne, tonnes from there on, with three digits. */
export function massText(kilograms: number): string {
  const isTonnes = Math.abs(kilograms) >= 1000;
  const value = isTonnes ? kilograms / 1000 : kilograms;
  return `${withMinus(Number(value.toPrecision(3)).toLocaleString('en'))} ${isTonnes ? 't' : 'kg'}`;
}

export function distanceText(kilometres: number): string {
  return `${Math.round(kilometres).toLocaleString('en')} km`;
}

/** Joule with a prefix: `1.25 PJ`. */
export function energyText(joule: number): string {
  const { unit, factor } = energyUnit(joule);
  return `${withMinus(String(Number((joule / factor).toPrecision(3))))} ${unit}`;
}

/** The unit that an energy is best read in, and how many joule it has. */
export function energyUnit(joule: number): { readonly unit: string; readonly factor: number } {
  const units = ['J', 'kJ', 'MJ', 'GJ', 'TJ', 'PJ', 'EJ'];
  const power = Math.min(Math.max(Math.floor(Math.log10(Math.abs(joule) || 1) / 3), 0), units.length - 1);
  return { unit: units[power] ?? 'J', factor: 1000 ** power };
}
