/** Colours of charts as attributes: a picture of a chart has no style sheet. */
import type { Theme } from '../stage/basemap-style.ts';

const COLORS = {
  dark: {
    back: '#111a23',
    ink: '#e6edf4',
    soft: '#a9b9c8',
    line: '#2c3c4b',
    bar: '#7cc4ff',
    warming: '#ff7a55',
    cooling: '#5fb0ff',
    none: '#22303d',
  },
  light: {
    back: '#ffffff',
    ink: '#14202b',
    soft: '#475768',
    line: '#c6d2dd',
    bar: '#0b5fa5',
    warming: '#c8401a',
    cooling: '#1a6fc0',
    none: '#e6edf3',
  },
} as const;

export type ChartColors = (typeof COLORS)[Theme];

export function chartColors(theme: Theme): ChartColors {
  return COLORS[theme];
}
