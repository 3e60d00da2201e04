/** What the map shows, and how a link spells it. */
import type { CocipAircraftType, FlightLevel } from '@contrails/client';
import { SCALINGS, type Scaling } from '../compute/scalings.ts';
import type { Camera } from '../stage/stage.ts';

export const FLIGHT_LEVELS: readonly FlightLevel[] = [
  270, 280, 290, 300, 310, 320, 330, 340, 350, 360, 370, 380, 390, 400, 410, 420, 430, 440,
];
export const LAYERS = ['index', 'ef', 'pcr', 'issr', 'sac', 'none'] as const;
export const AIRCRAFT_CLASSES = ['default', 'low_e', 'high_e'] as const;
export const AIRCRAFT_TYPES = [
  'A320',
  'A20N',
  'A321',
  'A319',
  'A21N',
  'A333',
  'A350',
  'B737',
  'B738',
  'B789',
  'B77W',
] as const satisfies readonly CocipAircraftType[];
/** Cells that regions are widened by at most. */
export const MAX_BUFFER = 10;
export const WEATHER_LAYERS = ['none', 'temperature', 'humidity'] as const;

export type LayerName = (typeof LAYERS)[number];
export type AircraftClass = (typeof AIRCRAFT_CLASSES)[number];
export type AircraftType = (typeof AIRCRAFT_TYPES)[number];
export type WeatherLayer = (typeof WEATHER_LAYERS)[number];

export interface MapState {
  readonly layer: LayerName;
  readonly flightLevel: FlightLevel;
  /** [ms since 1970], a whole hour; undefined for the current one. */
  readonly timeMs: number | undefined;
  readonly aircraftClass: AircraftClass;
  readonly aircraftType: AircraftType;
  /** With which correction of humidity energy forcing is computed on this device; undefined for that of the service. */
  readonly here: Scaling | undefined;
  /** Regions that reach this index; 0 for none. */
  readonly threshold: number;
  /** Cells that regions are widened by, against errors of the forecast. */
  readonly buffer: number;
  readonly weather: WeatherLayer;
  readonly wind: boolean;
  readonly traffic: boolean;
  /** Id of the aircraft that is chosen. */
  readonly aircraft: string | undefined;
  /** Lines and pixels in the newest satellite image of the hour. */
  readonly segments: boolean;
  readonly detections: boolean;
}

export const HOUR_MS = 3_600_000;

export const INITIAL_STATE: MapState = {
  layer: 'index',
  flightLevel: 350,
  timeMs: undefined,
  aircraftClass: 'default',
  aircraftType: 'B738',
  here: undefined,
  threshold: 0,
  buffer: 0,
  weather: 'none',
  wind: true,
  traffic: false,
  aircraft: undefined,
  segments: false,
  detections: false,
};

export const INITIAL_CAMERA: Camera = { longitude: -10, latitude: 35, zoom: 1.8 };

/** A moment and level of the map. */
export interface Cell {
  readonly timeMs: number;
  readonly flightLevel: FlightLevel;
}

/** The levels and hours next to a cell; first the one that another step in the direction of the last one leads to. */
export function neighbours(cell: Cell, hours: readonly number[], before?: Cell): Cell[] {
  const { timeMs, flightLevel } = cell;
  const isUpward = before === undefined || before.flightLevel <= flightLevel;
  const isLater = before === undefined || before.timeMs <= timeMs;
  const levels = [flightLevel + 10, flightLevel - 10]
    .flatMap((wanted) => FLIGHT_LEVELS.find((level) => level === wanted) ?? [])
    .map((level) => ({ timeMs, flightLevel: level }));
  const times = [timeMs + HOUR_MS, timeMs - HOUR_MS]
    .filter((hour) => hours.includes(hour))
    .map((hour) => ({ timeMs: hour, flightLevel }));
  if (!isUpward) levels.reverse();
  if (!isLater) times.reverse();
  const isLevelStep = before !== undefined && before.flightLevel !== flightLevel;
  return isLevelStep ? [...levels, ...times] : [...times.slice(0, 1), ...levels, ...times.slice(1)];
}

/** Invalid values of a link fall back to the initial state of the map. */
export function parseMapState(parameters: URLSearchParams): MapState {
  const oneOf = <T extends string>(name: string, values: readonly T[], fallback: T): T =>
    values.find((value) => value === parameters.get(name)) ?? fallback;
  const flag = (name: string, fallback: boolean) => {
    const value = parameters.get(name);
    return value === null ? fallback : value === '1';
  };
  const level = Number(parameters.get('fl'));
  const threshold = Number(parameters.get('threshold'));
  const buffer = Number(parameters.get('buffer') ?? INITIAL_STATE.buffer);
  return {
    layer: oneOf('layer', LAYERS, INITIAL_STATE.layer),
    flightLevel: FLIGHT_LEVELS.find((one) => one === level) ?? INITIAL_STATE.flightLevel,
    timeMs: parseHour(parameters.get('time')),
    aircraftClass: oneOf('class', AIRCRAFT_CLASSES, INITIAL_STATE.aircraftClass),
    aircraftType: oneOf('type', AIRCRAFT_TYPES, INITIAL_STATE.aircraftType),
    here: SCALINGS.find((scaling) => scaling === parameters.get('here')),
    threshold: [1, 2, 3, 4].includes(threshold) ? threshold : 0,
    buffer: Number.isInteger(buffer) && buffer >= 0 && buffer <= MAX_BUFFER ? buffer : INITIAL_STATE.buffer,
    weather: oneOf('weather', WEATHER_LAYERS, INITIAL_STATE.weather),
    wind: flag('wind', INITIAL_STATE.wind),
    traffic: flag('traffic', INITIAL_STATE.traffic),
    aircraft: parameters.get('aircraft') || undefined,
    segments: flag('segments', INITIAL_STATE.segments),
    detections: flag('detections', INITIAL_STATE.detections),
  };
}

/** Only what differs from the beginning, so links stay short. */
export function formatMapState(state: MapState, camera: Camera | undefined): URLSearchParams {
  const parameters = new URLSearchParams();
  if (state.layer !== INITIAL_STATE.layer) parameters.set('layer', state.layer);
  parameters.set('fl', String(state.flightLevel));
  if (state.timeMs !== undefined) parameters.set('time', hourText(state.timeMs));
  if (state.aircraftClass !== INITIAL_STATE.aircraftClass) parameters.set('class', state.aircraftClass);
  if (state.aircraftType !== INITIAL_STATE.aircraftType) parameters.set('type', state.aircraftType);
  if (state.here !== undefined) parameters.set('here', state.here);
  if (state.threshold > 0) parameters.set('threshold', String(state.threshold));
  if (state.buffer > 0) parameters.set('buffer', String(state.buffer));
  if (state.weather !== 'none') parameters.set('weather', state.weather);
  if (state.wind !== INITIAL_STATE.wind) parameters.set('wind', state.wind ? '1' : '0');
  for (const name of ['traffic', 'segments', 'detections'] as const) {
    if (state[name]) parameters.set(name, '1');
  }
  if (state.aircraft !== undefined) parameters.set('aircraft', state.aircraft);
  if (camera !== undefined) {
    const { longitude, latitude, zoom } = camera;
    parameters.set('at', [latitude.toFixed(2), longitude.toFixed(2), zoom.toFixed(1)].join(','));
  }
  return parameters;
}

export function parseCamera(parameters: URLSearchParams): Camera | undefined {
  const [latitude, longitude, zoom] = (parameters.get('at') ?? '').split(',').map(Number);
  if (latitude === undefined || longitude === undefined || zoom === undefined) return undefined;
  const isValid = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 360 && zoom >= 0 && zoom <= 12;
  return isValid ? { latitude, longitude, zoom } : undefined;
}

export function hourText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 13);
}

function parseHour(text: string | null): number | undefined {
  const timeMs = /^\d{4}-\d\d-\d\dT\d\d$/.test(text ?? '') ? Date.parse(`${text}:00Z`) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
