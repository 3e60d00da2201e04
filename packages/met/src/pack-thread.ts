/** The thread that brings what sources store into the form the models use. */
import type { MetField } from './field.ts';
import { packWeather } from './pack-weather.ts';
import { answerRequests } from './thread.ts';

export interface PackRequest {
  readonly field: MetField;
  readonly stored: MetField;
}

answerRequests(({ field, stored }: PackRequest): void => packWeather(field, stored));
