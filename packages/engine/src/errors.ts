/** What the engine refuses, beside invalid input (`ValidationError`) and weather that cannot be used. */
import { RefusedError } from '@contrails/runtime/errors';

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
