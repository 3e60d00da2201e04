/** What colours and symbols of the live view mean. */
import { contrailEntry, FORCING_ENTRY, type LegendEntry } from '../map/legend-entries.ts';
import type { Theme } from '../stage/basemap-style.ts';
import type { LiveState } from './live-state.ts';
import { LASTING_COLORS, LEVEL_SHADES } from './sky-marks.ts';

const NOW_ENTRY = contrailEntry('Contrails: net forcing now, W/m²');

export function skyLegend({ coloring, contrails, hasNight }: LiveState, theme: Theme): LegendEntry[] {
  const [, high] = LEVEL_SHADES[theme];
  const swatch = (color: readonly number[], fillOpacity = 1) => {
    const fill = `rgb(${color.join(' ')})`;
    return { fill, fillOpacity, line: fill, width: 0 };
  };
  return [
    ...(contrails === 'none'
      ? []
      : [
          coloring === 'now'
            ? NOW_ENTRY
            : { ...FORCING_ENTRY, title: 'Contrails: energy of their life, MJ per metre' },
        ]),
    {
      title: theme === 'dark' ? 'aircraft, the brighter the higher' : 'aircraft, the darker the higher',
      swatch: swatch(high),
    },
    { title: 'leaves a contrail that lasts', swatch: swatch(LASTING_COLORS[theme]) },
    ...(hasNight
      ? [{ title: 'night', swatch: { ...swatch([0, 6, 15], 0.45), line: 'rgb(128 128 128)', width: 0.6 } }]
      : []),
  ];
}
