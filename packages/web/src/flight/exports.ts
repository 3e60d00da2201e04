/** Results as files. */
import type { MapStage } from '../stage/stage.ts';
import { type FlightResult, trackShapes } from './result.ts';

export const EXPORTS = ['JSON', 'CSV', 'GeoJSON', 'PNG'] as const;
export type ExportKind = (typeof EXPORTS)[number];

export async function exportResult(kind: ExportKind, result: FlightResult, stage: MapStage): Promise<void> {
  const name = result.flight.name.replace(/[^\w–-]+/g, '_');
  if (kind === 'JSON') save(`${name}.json`, 'application/json', JSON.stringify(result.answer, null, 2));
  if (kind === 'CSV') save(`${name}.csv`, 'text/csv', csvOf(result));
  if (kind === 'GeoJSON') {
    save(`${name}.geojson`, 'application/geo+json', JSON.stringify(trackShapes(result.points)));
  }
  if (kind === 'PNG') save(`${name}.png`, 'image/png', await pictureOf(stage));
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
async function pictureOf(stage: MapStage): Promise<Blob> {
  const map = await stage.snapshot();
  const profile = document.querySelector<HTMLCanvasElement>('canvas#profile');
  const scale = profile === null ? 0 : map.width / profile.width;
  const picture = document.createElement('canvas');
  picture.width = map.width;
  picture.height = map.height + Math.round((profile?.height ?? 0) * scale);
  const context = picture.getContext('2d');
  if (context === null) throw new Error('The browser cannot draw the picture.');
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, picture.width, picture.height);
  context.drawImage(map, 0, 0);
  if (profile !== null) context.drawImage(profile, 0, map.height, map.width, profile.height * scale);
  return new Promise((resolve, reject) =>
    picture.toBlob((blob) => (blob === null ? reject(new Error('The picture is empty.')) : resolve(blob))),
  );
}

function save(name: string, type: string, data: string | Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(typeof data === 'string' ? new Blob([data], { type }) : data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}
