import { useEffect, useState } from 'preact/hooks';
import { interpolatedAt, valueAt } from '../grid/grid.ts';
import type { MapStage } from '../stage/stage.ts';
import { withMinus } from '../text.ts';
import type { Position } from '../track.ts';
import type { Field, WeatherFields } from './map-data.ts';
import type { MapState } from './map-state.ts';

interface ReadoutProps {
  readonly stage: MapStage;
  readonly layer: MapState['layer'];
  /** That of the values, which are still the ones before while others are loaded. */
  readonly flightLevel: number;
  readonly field: Field | undefined;
  readonly weather: WeatherFields | undefined;
}

interface Pointed extends Position {
  /** Whether a polygon of the layer lies there; undefined for layers of fields. */
  readonly isInside: boolean | undefined;
}

/** Values under the pointer with units and level; those in the middle of the map where there is no pointer. */
export function Readout({ stage, layer, flightLevel, field, weather }: ReadoutProps) {
  const [pointed, setPointed] = useState<Pointed>(() => ({ ...stage.camera(), isInside: undefined }));

  useEffect(() => {
    const isBinary = layer === 'sac' || layer === 'issr' || layer === 'pcr';
    let isOverMap = false;
    const stopPointer = stage.onPointer((position) => {
      isOverMap = position !== undefined;
      if (position === undefined) return;
      const isInside = isBinary ? stage.featureAt('binary', position) !== undefined : undefined;
      setPointed({ ...position, isInside });
    });
    const stopMove = stage.onMove((camera) => {
      if (!isOverMap) setPointed({ ...camera, isInside: undefined });
    });
    return () => {
      stopPointer();
      stopMove();
    };
  }, [stage, layer]);

  const values = readings(pointed, layer, field, weather);
  return (
    <dl class="readout" aria-label="Values at the pointer">
      <div>
        <dt>FL{flightLevel}</dt>
        <dd>{positionText(pointed)}</dd>
      </div>
      {values.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function readings(
  { longitude, latitude, isInside }: Pointed,
  layer: MapState['layer'],
  field: Field | undefined,
  weather: WeatherFields | undefined,
): (readonly [name: string, value: string])[] {
  const rows: (readonly [string, string])[] = [];
  if (field !== undefined) {
    const value = valueAt(field.grid, longitude, latitude);
    if (layer === 'index') rows.push(['Index', number(value, 2)]);
    if (layer === 'ef') rows.push(['Forcing', `${number(value / 1e6, 1)} MJ/m`]);
  }
  if (isInside !== undefined) rows.push([layer.toUpperCase(), isInside ? 'yes' : 'no']);
  if (weather !== undefined) {
    const at = (grid: WeatherFields['humidity']) => interpolatedAt(grid, longitude, latitude);
    const [east, north] = [at(weather.eastward), at(weather.northward)];
    rows.push(
      ['Temperature', `${number(at(weather.temperature) - 273.15, 1)} °C`],
      ['RHi', `${number(100 * at(weather.humidity), 0)} %`],
      ['Wind', `${number(Math.hypot(east, north), 0)} m/s from ${number(windFrom(east, north), 0)}°`],
    );
  }
  return rows;
}

/** Where a wind comes from, in degrees from north. */
function windFrom(east: number, north: number): number {
  return ((Math.atan2(-east, -north) * 180) / Math.PI + 360) % 360;
}

function number(value: number, digits: number): string {
  return Number.isFinite(value) ? withMinus(value.toFixed(digits).replace(/^-(0(\.0+)?)$/, '$1')) : '–';
}

function positionText({ longitude, latitude }: Position): string {
  const part = (degrees: number, [positive, negative]: readonly [string, string]) =>
    `${Math.abs(degrees).toFixed(1)}°${degrees < 0 ? negative : positive}`;
  return `${part(latitude, ['N', 'S'])} ${part(longitude, ['E', 'W'])}`;
}
