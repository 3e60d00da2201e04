/** How the app calls layers, classes and sources. */
import type { ServiceStatus } from '@contrails/client';
import type { Scaling } from '../compute/scalings.ts';
import { timeText } from '../text.ts';
import {
  AIRCRAFT_TYPES,
  type AircraftClass,
  type AircraftType,
  type LayerName,
  type MapState,
  type WeatherLayer,
} from './map-state.ts';

export const LAYER_NAMES: Readonly<Record<LayerName, readonly [name: string, meaning: string]>> = {
  index: ['Forecast index', 'How much a contrail would warm, 0 to 4'],
  ef: ['Energy forcing', 'Joule per metre of flight, by aircraft type'],
  pcr: ['Persistent contrails', 'Where contrails form and persist'],
  issr: ['Ice supersaturation', 'Where contrails would persist'],
  sac: ['Contrail formation', 'Where contrails form (Schmidt–Appleman)'],
  none: ['None', 'Weather and traffic only'],
};
export const CLASS_NAMES: Readonly<Record<AircraftClass, string>> = {
  default: 'Typical (B738)',
  low_e: 'Low emissions (B789)',
  high_e: 'High emissions (A320)',
};
export const WEATHER_NAMES: Readonly<Record<WeatherLayer, string>> = {
  none: 'None',
  temperature: 'Temperature',
  humidity: 'Humidity',
};

/** Types of which the service has grids; all of them until that is known. */
export function servedTypes(status: ServiceStatus | undefined): readonly AircraftType[] {
  const kinds = new Set(status?.products.map(({ kind }) => kind));
  const served = AIRCRAFT_TYPES.filter((type) => kinds.has(`cocip.${type}`));
  return served.length === 0 ? AIRCRAFT_TYPES : served;
}

export const SCALING_NAMES: Readonly<Record<Scaling, string>> = {
  none: 'as in the weather',
  constant_scale: 'by a constant',
  constant_scale_by_level: 'by level',
  exponential_boost: 'exponential boost',
  exponential_boost_latitude_customization: 'exponential boost by latitude',
};

/** `Energy forcing of a B738 and Humidity`; isHere: whether this device has computed it. */
export function titleOf(
  { layer, weather, traffic, segments, detections, aircraftClass, aircraftType }: MapState,
  isHere = false,
): string {
  const contrails = {
    index: `${LAYER_NAMES.index[0]}, ${CLASS_NAMES[aircraftClass].toLowerCase().replace(/\w\d\w\w/g, (type) => type.toUpperCase())}`,
    ef: `${LAYER_NAMES.ef[0]} of a ${aircraftType}${isHere ? ', computed on this device' : ''}`,
    pcr: LAYER_NAMES.pcr[0],
    issr: LAYER_NAMES.issr[0],
    sac: LAYER_NAMES.sac[0],
    none: '',
  }[layer];
  const parts = [contrails, weather === 'none' ? '' : WEATHER_NAMES[weather]].filter((part) => part !== '');
  const seen = segments || detections ? 'Contrails in satellite imagery' : 'Map';
  return parts.join(' and ') || (traffic ? 'Air traffic' : seen);
}

/** `ECMWF IFS, run of 17 Nov 2026, 06:00 UTC`: the weather that a moment is computed from. */
export function sourceText(
  status: ServiceStatus | undefined,
  timeMs: number,
  reference: string | undefined,
): string {
  const covers = ({ first, last }: { readonly first: string; readonly last: string }) =>
    Date.parse(first) <= timeMs && timeMs <= Date.parse(last);
  const source = status?.weather.find(({ runs }) => runs.some(covers));
  if (source === undefined) return reference === undefined ? '' : `run of ${timeText(reference)}`;
  const run = source.runs.find(covers);
  const made = run?.type === 'reanalysis' ? undefined : (reference ?? run?.forecast_reference_time);
  const name = source.synthetic
    ? 'Synthetic weather'
    : [source.provider, source.product].filter(Boolean).join(' ') || source.name;
  return `${name}, ${made === undefined ? 'reanalysis' : `run of ${timeText(made)}`}`;
}
