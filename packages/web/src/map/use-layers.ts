/** The layers of a level and hour on the map, and the hours that there are. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Grid } from '../grid/grid.ts';
import { messageOf, service } from '../service.ts';
import { useSession } from '../shell/session.ts';
import { FORCING_COLORS, HUMIDITY_COLORS, TEMPERATURE_COLORS } from '../stage/color-scale.ts';
import type { Shapes } from '../stage/stage.ts';
import { servedTypes } from './layer-names.ts';
import {
  binaryRegions,
  contrailField,
  type Field,
  fetchNeighbours,
  forgetGrids,
  thresholdRegions,
  type WeatherFields,
  weatherFields,
} from './map-data.ts';
import type { MapState } from './map-state.ts';
import { AVOID_SWATCH, BINARY_SWATCHES, isBinary, regionLayers } from './shape-styles.ts';
import { type TimelineHour, timelineHours } from './timeline-hours.ts';

const REFRESH_MS = 20_000;

interface Shown {
  readonly field: Field | undefined;
  readonly weather: WeatherFields | undefined;
  /** What the layers were loaded for, as text, and their state and hour. */
  readonly of: string;
  readonly state: MapState;
  readonly timeMs: number;
  /** Whether this device has computed the field. */
  readonly isHere: boolean;
}

/** What this device computes in place of the energy forcing of the service. */
export interface Own {
  /** Undefined until it is there. */
  readonly grid: Grid | undefined;
  /** Expected soon: what the service has stays until then, and what it lacks is not an error. */
  readonly isAwaited: boolean;
}

/** The newest run of the forecast: its hours of a class, and what it was made from. */
export interface ForecastRun {
  readonly hours: readonly TimelineHour[];
  /** Start of the weather forecast, ISO 8601; undefined while there is no run. */
  readonly reference: string | undefined;
}

export const NO_RUN: ForecastRun = { hours: [], reference: undefined };

/** The hours of the newest run of a class, refreshed while it is being computed. */
export function useHours(
  isReady: boolean,
  connection: number,
  aircraftClass: string,
  onRun: (run: ForecastRun) => void,
): void {
  useEffect(() => {
    if (!isReady || connection < 0) return;
    const stopped = new AbortController();
    const refresh = () =>
      service.forecast.runs({}, { signal: stopped.signal }).then(
        ({ runs }) => {
          const [newest] = runs;
          const found = newest?.aircraft_classes.find((one) => one.aircraft_class === aircraftClass);
          onRun({
            hours: timelineHours(found?.hours ?? [], Date.now()),
            reference: newest?.forecast_reference_time ?? undefined,
          });
        },
        () => undefined,
      );
    refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    return () => {
      stopped.abort();
      clearInterval(timer);
    };
  }, [isReady, connection, aircraftClass, onRun]);
}

/** What the colours of each part of the map stand for; a part whose text changes must not stay under the new legend. */
function meaningsOf(
  { layer, aircraftClass, aircraftType, here, threshold, buffer, weather }: MapState,
  isHere: boolean,
) {
  return {
    contrails:
      layer === 'index'
        ? `index ${aircraftClass}`
        : layer === 'ef'
          ? `ef ${aircraftType} ${isHere ? here : ''}`
          : `${layer} ${buffer}`,
    regions: `${aircraftClass} ${threshold} ${buffer}`,
    weather,
  };
}

/**
 * Loads the layers of a state and puts them on the map together. Until then another level or hour of the same layers stays;
 * layers that mean something else fade, because the legend is that of the new ones.
 */
export function useLayers(state: MapState, timeMs: number, hours: readonly TimelineHour[], own: Own) {
  const { stage, key, connection, theme, status } = useSession();
  const [shown, setShown] = useState<Shown>();
  const [failure, setFailure] = useState<{ readonly of: string; readonly message: string }>();
  const { layer, flightLevel, aircraftClass, aircraftType, threshold, buffer, weather, wind } = state;
  const { grid, isAwaited } = own;
  const isHere = grid !== undefined;
  // What the service lacks is not asked for where this device will have it.
  const isLacking = isAwaited && !servedTypes(status).includes(aircraftType);
  const wanted = useMemo(
    () => ({ ...state, timeMs }),
    [layer, flightLevel, aircraftClass, aircraftType, state.here, threshold, buffer, weather, wind, timeMs],
  );
  const of = JSON.stringify([
    layer,
    flightLevel,
    aircraftClass,
    aircraftType,
    threshold,
    buffer,
    weather,
    wind,
    timeMs,
    isHere,
  ]);
  const shownRef = useRef(shown);
  shownRef.current = shown;
  const hoursRef = useRef(hours);
  hoursRef.current = hours;
  const hour = hours.find((one) => one.timeMs === timeMs);
  // Asking for what is not there yet would only be refused.
  const isServed = hour?.levels.includes(flightLevel) ?? false;
  const isForecast = layer === 'index' || threshold > 0;
  const lack = isForecast && hours.length > 0 && !isServed ? lackOf(hour) : undefined;

  useEffect(() => {
    if (connection > 0) forgetGrids();
  }, [connection]);

  // Before the next frame, so what is in memory is drawn with it, and before the map is there, which takes longer.
  useLayoutEffect(() => {
    if (key !== 'present' || connection < 0) return;
    let isCurrent = true;
    if (shownRef.current !== undefined) {
      const before = meaningsOf(shownRef.current.state, shownRef.current.isHere);
      const after = meaningsOf(wanted, isHere);
      if (before.contrails !== after.contrails) {
        stage?.fadeField('contrails');
        stage?.setShapes('binary', undefined);
      }
      if (before.regions !== after.regions) stage?.setShapes('regions', undefined);
      if (before.weather !== after.weather) stage?.fadeField('weather');
    }
    const cell = { timeMs, flightLevel: wanted.flightLevel };
    const served = () => {
      if (isLacking || (!isServed && wanted.layer === 'index')) return undefined;
      const field = contrailField(wanted, cell);
      return isAwaited ? field.catch(() => undefined) : field;
    };
    const parts = {
      field: grid !== undefined ? { grid, colors: FORCING_COLORS } : served(),
      binary: binaryRegions(wanted, cell),
      regions: isServed ? thresholdRegions(wanted, cell) : undefined,
      weather: wanted.wind || wanted.weather !== 'none' ? weatherFields(cell) : undefined,
    };
    settle(parts).then(({ values: { field, binary, regions, weather }, errors }) => {
      if (!isCurrent || stage === undefined) return;
      stage.setField('contrails', field?.grid, field?.colors);
      if (wanted.weather === 'temperature')
        stage.setField('weather', weather?.temperature, TEMPERATURE_COLORS);
      else if (wanted.weather === 'humidity') stage.setField('weather', weather?.humidity, HUMIDITY_COLORS);
      else stage.setField('weather', undefined, undefined);
      stage.setWind(wanted.wind ? weather : undefined);
      const swatch = isBinary(wanted.layer) ? BINARY_SWATCHES[wanted.layer][theme] : undefined;
      stage.setShapes('binary', swatch && shapesOf(binary, regionLayers(swatch)));
      stage.setShapes('regions', shapesOf(regions, regionLayers(AVOID_SWATCH)));
      setShown({ field, weather, of, state: wanted, timeMs, isHere });
      setFailure(errors.length === 0 ? undefined : { of, message: messageOf(errors[0]) });
      if (errors.length === 0) fetchNeighbours(wanted, cell, hoursRef.current);
    });
    return () => {
      isCurrent = false;
    };
  }, [stage, key, connection, wanted, of, isServed, theme, grid, isAwaited, isLacking]);

  useEffect(
    () => () => {
      stage?.setField('contrails', undefined, undefined);
      stage?.setField('weather', undefined, undefined);
      stage?.setWind(undefined);
      stage?.setShapes('binary', undefined);
      stage?.setShapes('regions', undefined);
    },
    [stage],
  );

  const error = failure?.of === of ? failure.message : lack;
  const isMeant =
    shown !== undefined &&
    meaningsOf(shown.state, shown.isHere).contrails === meaningsOf(state, isHere).contrails;
  return {
    shown,
    /** Whether the contrail layer on the map is the one that was asked for, perhaps of another level or hour. */
    isMeant,
    error,
    isLoading: shown?.of !== of,
  };
}

function lackOf(hour: TimelineHour | undefined): string {
  if (hour?.state === 'running')
    return 'The forecast of this hour is being computed; it appears as soon as it is done.';
  if (hour?.state === 'planned' || hour?.state === 'published')
    return 'The forecast of this level and hour is planned; it appears as soon as it is computed.';
  return hour?.state === 'failed'
    ? 'The forecast of this hour failed; the operator finds the reason with contrails jobs list.'
    : 'There is no forecast of this hour; choose another one below.';
}

function shapesOf(data: unknown, layers: Shapes['layers']): Shapes | undefined {
  return data === undefined ? undefined : { data: data as GeoJSON.FeatureCollection, layers };
}

/** Those values that came, and why the others did not. */
async function settle<T extends Readonly<Record<string, unknown>>>(
  parts: T,
): Promise<{
  readonly values: { readonly [K in keyof T]: Awaited<T[K]> | undefined };
  readonly errors: readonly unknown[];
}> {
  const entries = Object.entries(parts);
  const results = await Promise.allSettled(entries.map(([, part]) => part));
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const values = Object.fromEntries(
    entries.map(([name], k) => {
      const result = results[k];
      return [name, result?.status === 'fulfilled' ? result.value : undefined];
    }),
  ) as { [K in keyof T]: Awaited<T[K]> | undefined };
  return { values, errors };
}
