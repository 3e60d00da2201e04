/**
 * A position may carry its height in several ways; these rules say which one wins. On construction from separate
 * arguments altitude in metres beats feet, and feet beat level.
 */
import { InputError } from '../errors.ts';
import { feetToMetres, metresToFeet } from '../units.ts';
import { altitudeMFromLevel, levelFromAltitudeM } from './isa.ts';

/** Height of a position; at least one field is present. */
export interface Vertical {
  readonly altitudeM?: number | undefined;
  readonly altitudeFt?: number | undefined;
  readonly levelHpa?: number | undefined;
  readonly airPressurePa?: number | undefined;
}

/** The one coordinate a position is built from: altitude in metres, else feet, else level. */
export function chooseVertical(given: Vertical): Vertical {
  if (given.altitudeM !== undefined) return { altitudeM: given.altitudeM };
  if (given.altitudeFt !== undefined) return { altitudeFt: given.altitudeFt };
  if (given.levelHpa !== undefined) return { levelHpa: given.levelHpa };
  throw new InputError(
    'a position needs a height; give altitude in metres, altitude in feet or a level in hPa',
    {
      given: { ...given },
    },
  );
}

/** Altitude [m]: as given, else from the level, else from feet. */
export function altitudeMOf(at: Vertical): number {
  if (at.altitudeM !== undefined) return at.altitudeM;
  if (at.levelHpa !== undefined) return altitudeMFromLevel(at.levelHpa);
  return at.altitudeFt === undefined ? Number.NaN : feetToMetres(at.altitudeFt);
}

/** Altitude [ft]: as given, else from metres by {@link altitudeMOf}. */
export function altitudeFtOf(at: Vertical): number {
  return at.altitudeFt ?? metresToFeet(altitudeMOf(at));
}

/** Level [hPa]: as given, else from the altitude. */
export function levelHpaOf(at: Vertical): number {
  return at.levelHpa ?? levelFromAltitudeM(altitudeMOf(at));
}

/** Air pressure [Pa]: as given, else 100 times the level. */
export function airPressurePaOf(at: Vertical): number {
  return at.airPressurePa ?? 100 * levelHpaOf(at);
}
