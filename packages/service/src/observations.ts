/** Observations for commands. */
import { resolve } from 'node:path';
import {
  attributeTracks,
  type GivenFlightAnswer,
  type GivenFrame,
} from '@contrails/engine/attribution/attribute-tracks';
import { requireWeather } from '@contrails/engine/weather/errors';
import type { FlightTrack } from '@contrails/observations/attribution';
import type { Log } from '@contrails/platform/log';
import { UsageError } from '@contrails/runtime/errors';
import type { Config } from './configuration.ts';
import { observationRules, SATELLITES, type Satellite } from './families/observations/config.ts';
import { type Verification, verifyDate } from './families/observations/verification.ts';
import { openServices } from './open.ts';
import { createLazyMet } from './weather/lazy-met.ts';
import { escapePattern } from './weather/sources.ts';

export type { GivenFlightAnswer, GivenFrame } from '@contrails/engine/attribution/attribute-tracks';
export type { Verification } from './families/observations/verification.ts';

/** What a satellite saw on a date against what the inventory of the date says; the configured satellite unless given. */
export async function verifyObservations(
  config: Config,
  log: Log,
  date: string,
  satellite?: string,
): Promise<Verification> {
  const named = satellite ?? observationRules(config.observations).satellite;
  const known = SATELLITES.find((one) => one === named);
  if (known === undefined) {
    throw new UsageError(
      named === undefined
        ? `no satellite is configured; give --satellite (${SATELLITES.join(', ')})`
        : `--satellite is ${named}; choose from ${SATELLITES.join(', ')}`,
    );
  }
  const services = await openServices(config, log);
  try {
    return await verifyDate(services, known, date);
  } finally {
    await services.close();
  }
}

/** How the built-in and configured detectors are to run here. */
export function detectionSettings({ observations }: Pick<Config, 'observations'>) {
  const { detector, model, skipsStationary, maxViewZenithDeg, licence } = observationRules(observations);
  return { detector, model, skipsStationary, maxViewZenithDeg, licence };
}

export interface FlightsToAttribute {
  readonly satellite: Satellite;
  readonly frames: readonly GivenFrame[];
  readonly tracks: readonly FlightTrack[];
  /** Files of weather, instead of the configured sources. */
  readonly weatherFiles: readonly string[];
}

/** Which flights made the contrails of some frames, by the weather of files or of the configured sources. */
export async function attributeFlights(
  config: Config,
  { satellite, frames, tracks, weatherFiles }: FlightsToAttribute,
  signal: AbortSignal,
): Promise<GivenFlightAnswer[]> {
  const used = weatherFiles.length === 0 ? config : withWeatherFiles(config, weatherFiles);
  requireWeather(used);
  const met = createLazyMet(used);
  try {
    return await attributeTracks({ met }, satellite, frames, tracks, signal);
  } finally {
    await met.close();
  }
}

function withWeatherFiles(config: Config, files: readonly string[]): Config {
  const isGrib = files.some((file) => /\.(grib2?|grb2?)$/i.test(file));
  const source = {
    name: 'files',
    kind: isGrib ? ('grib' as const) : ('netcdf' as const),
    paths: files.map((file) => escapePattern(resolve(file))),
    directory: process.cwd(),
    ...{ provider: 'files', dataset: 'files', product: 'reanalysis' },
    ...{ type: undefined, radiationAccumulated: false, radiationHours: undefined },
    ...{ member: undefined, levels: undefined, s3Endpoint: undefined, s3Region: undefined, s3Signed: false },
  };
  return { ...config, met: { ...config.met, sources: [source] } };
}
