/** Results as files. */
import { pictureOf } from '../map/picture.ts';
import { saveFile } from '../save-file.ts';
import type { MapStage } from '../stage/stage.ts';
import { timeText } from '../text.ts';
import { flightLegend } from './flight-legend.ts';
import { type FlightResult, trackShapes } from './result.ts';

export const EXPORTS = ['JSON', 'CSV', 'GeoJSON', 'PNG'] as const;
export type ExportKind = (typeof EXPORTS)[number];

export async function exportResult(kind: ExportKind, result: FlightResult, stage: MapStage): Promise<void> {
  const name = result.flight.name.replace(/[^\w–-]+/g, '_');
  if (kind === 'JSON') saveFile(`${name}.json`, 'application/json', JSON.stringify(result.answer, null, 2));
  if (kind === 'CSV') saveFile(`${name}.csv`, 'text/csv', csvOf(result));
  if (kind === 'GeoJSON') {
    saveFile(`${name}.geojson`, 'application/geo+json', JSON.stringify(trackShapes(result.points)));
  }
  if (kind === 'PNG') saveFile(`${name}.png`, 'image/png', await flightPicture(result, stage));
}

/** A line for each waypoint, with the unit in the name of the column. */
export function csvOf({ points }: Pick<FlightResult, 'points'>): string {
  const header = 'time,longitude,latitude,altitude_ft,sac,rhi,contrail_age_min,energy_forcing_j';
  const lines = points.map((point) =>
    [
      new Date(point.timeMs).toISOString(),
      point.longitude,
      point.latitude,
      point.altitudeFt,
      point.sac,
      point.rhi,
      point.contrailAgeMin,
      point.energyForcing,
    ]
      .map((value) => value ?? '')
      .join(','),
  );
  return `${[header, ...lines].join('\n')}\n`;
}

/** The map with the profile below it. */
function flightPicture(result: FlightResult, stage: MapStage): Promise<Blob> {
  const { flight, answer, points } = result;
  const [first, last] = [points[0], points.at(-1)];
  const weather = [answer.met_source_provider, answer.met_source_product].filter(Boolean).join(' ');
  return pictureOf(stage, {
    title: `${flight.name}, ${flight.aircraftType ?? 'type assumed'}`,
    lines: [
      first === undefined || last === undefined
        ? ''
        : `${timeText(first.timeMs)} to ${timeText(last.timeMs)}`,
      `Contrail model CoCiP, version ${answer.modeling_version ?? 'unknown'}; weather ${weather || 'unknown'}`,
    ],
    legend: flightLegend(result),
    chart: document.querySelector<HTMLCanvasElement>('canvas#profile'),
  });
}
