/** What the live view shows, and how a link spells it. */
import type { Camera } from '../stage/stage.ts';

export const COLORINGS = ['now', 'energy'] as const;
export const CONTRAIL_CHOICES = ['all', 'warming', 'cooling', 'none'] as const;
/** Flight levels from which aircraft are shown. */
export const MIN_LEVELS = [0, 100, 200, 300] as const;
export const MINUTE_MS = 60_000;

export interface LiveState {
  /** Contrails by their forcing at the moment, or by the energy of their whole life. */
  readonly coloring: (typeof COLORINGS)[number];
  readonly contrails: (typeof CONTRAIL_CHOICES)[number];
  readonly minLevel: (typeof MIN_LEVELS)[number];
  /** How callsigns begin, in capitals. */
  readonly callsign: string;
  /** Only aircraft that leave contrails which last. */
  readonly isLasting: boolean;
  readonly hasNight: boolean;
  /** Id of the flight that is open. */
  readonly flight: string | undefined;
  /** A past minute [ms since 1970]; undefined for now. */
  readonly timeMs: number | undefined;
}

export const INITIAL_LIVE: LiveState = {
  coloring: 'now',
  contrails: 'all',
  minLevel: 0,
  callsign: '',
  isLasting: false,
  hasNight: true,
  flight: undefined,
  timeMs: undefined,
};

/** What a link has that is not valid is left at what the view begins with. */
export function parseLiveState(parameters: URLSearchParams): LiveState {
  const oneOf = <T extends string | number>(name: string, values: readonly T[], fallback: T): T =>
    values.find((value) => String(value) === parameters.get(name)) ?? fallback;
  return {
    coloring: oneOf('color', COLORINGS, INITIAL_LIVE.coloring),
    contrails: oneOf('contrails', CONTRAIL_CHOICES, INITIAL_LIVE.contrails),
    minLevel: oneOf('fl', MIN_LEVELS, INITIAL_LIVE.minLevel),
    callsign: callsignOf(parameters.get('callsign') ?? ''),
    isLasting: parameters.get('lasting') === '1',
    hasNight: parameters.get('night') !== '0',
    flight: parameters.get('flight') || undefined,
    timeMs: parseMinute(parameters.get('time')),
  };
}

/** Only what differs from the beginning, so links stay short. */
export function formatLiveState(state: LiveState, camera: Camera | undefined): URLSearchParams {
  const parameters = new URLSearchParams();
  if (state.coloring !== INITIAL_LIVE.coloring) parameters.set('color', state.coloring);
  if (state.contrails !== INITIAL_LIVE.contrails) parameters.set('contrails', state.contrails);
  if (state.minLevel !== INITIAL_LIVE.minLevel) parameters.set('fl', String(state.minLevel));
  if (state.callsign !== '') parameters.set('callsign', state.callsign);
  if (state.isLasting) parameters.set('lasting', '1');
  if (!state.hasNight) parameters.set('night', '0');
  if (state.flight !== undefined) parameters.set('flight', state.flight);
  if (state.timeMs !== undefined) parameters.set('time', minuteText(state.timeMs));
  if (camera !== undefined) {
    const { longitude, latitude, zoom } = camera;
    parameters.set('at', [latitude.toFixed(2), longitude.toFixed(2), zoom.toFixed(1)].join(','));
  }
  return parameters;
}

/** As feeds spell them. */
export function callsignOf(text: string): string {
  return text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '')
    .slice(0, 8);
}

/** `2026-11-17T21:35` */
function minuteText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16);
}

function parseMinute(text: string | null): number | undefined {
  const timeMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text ?? '') ? Date.parse(`${text}Z`) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
