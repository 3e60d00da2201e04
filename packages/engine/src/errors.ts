/** Engine refusals other than invalid input (`ValidationError`). */
import { type Facts, RefusedError } from '@contrails/runtime/errors';

/** A flight to plan has no cruise. */
export class NoCruise extends RefusedError {
  constructor(message: string) {
    super('no-cruise', message);
  }
}

/** No waypoint of a flight lies in the weather. */
export class OutsideWeather extends RefusedError {
  constructor(message: string) {
    super('outside-weather', message);
  }
}

/** A stored request is of another version, or damaged. */
export class UnreadableRequest extends RefusedError {
  constructor(message: string) {
    super('unreadable-request', message);
  }
}

/** The weather that a request needs is damaged or contradicts itself: its operator has to correct the files. */
export class UnusableWeather extends RefusedError {
  constructor(message: string, options: { cause?: unknown; facts?: Facts } = {}) {
    super('weather-unusable', message, options);
  }
}
