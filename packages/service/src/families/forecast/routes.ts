import type { AircraftClass, CocipAircraftType } from '../../forecast/aircraft.ts';
import { gridFileName, sendGrid } from '../../grids/answer.ts';
import { gridResponses } from '../../grids/openapi.ts';
import { polygonShape } from '../../grids/params.ts';
import type { App, Family } from '../../http/app.ts';
import { sendFile } from '../../http/files.ts';
import { query } from '../../http/query.ts';
import { type CocipShelf, cocipGrid } from './cocip.ts';
import { forecastGrid, forecastRegions } from './grids.ts';
import { cocipParameters, forecastParameters, gridUnits, regionThreshold } from './params.ts';
import { forecastGridResponses, regionsResponses } from './schema.ts';

const HOUR_MS = 3_600_000;

export interface ForecastFamilyOptions {
  /** Classes and types that are computed. */
  readonly classes: readonly AircraftClass[];
  readonly types: readonly CocipAircraftType[];
}

/** Precomputed contrail grids and the forecast; nothing is computed in a request that is not cut from stored products. */
export function forecastFamily(shelf: CocipShelf, { classes, types }: ForecastFamilyOptions): Family {
  return (app) => {
    if (types.length > 0) serveCocip(app, shelf, types);
    const [first, ...others] = classes;
    if (first === undefined) return;
    serveGrids(app, shelf, [first, ...others]);
    serveRegions(app, shelf, [first, ...others]);
  };
}

function serveCocip(app: App, shelf: CocipShelf, types: readonly CocipAircraftType[]): void {
  app.get(
    '/v0/grid/cocip',
    {
      config: { scope: 'research', problems: ['not-found'] },
      schema: {
        tags: ['grid'],
        summary: 'How much contrails warm, cell by cell',
        description:
          'Energy forcing per metre of flight and age of the contrails of an aircraft in nominal cruise, computed beforehand for whole hours. As netCDF-4, or as polygons around the cells that reach a threshold.',
        querystring: query(cocipParameters(types)),
        response: gridResponses('The contrail grid.'),
      },
    },
    async (request, reply) => {
      const { time, flight_level, bbox, format, aircraft_type, threshold, ...polygons } = request.query;
      const file = await cocipGrid(
        shelf,
        {
          timeMs: time,
          flightLevels: flight_level,
          aircraftType: aircraft_type,
          bbox,
          format,
          threshold,
          shape: polygonShape(polygons),
        },
        {
          signal: request.hangUp,
          onComputeMs: (ms) => {
            request.usage.computeSeconds += ms / 1000;
          },
        },
      );
      return sendGrid(request, reply, file, `cocip_${aircraft_type}`, time, format);
    },
  );
}

function serveGrids(
  app: App,
  shelf: CocipShelf,
  classes: readonly [AircraftClass, ...AircraftClass[]],
): void {
  app.get(
    '/v1/grids',
    {
      config: { scope: 'forecast', problems: ['not-found'] },
      schema: {
        tags: ['forecast'],
        summary: 'Contrail forecast as a grid',
        description:
          'Forcing index from 0 (no warming) to 4 (highly warming) for one hour, on one flight level or all, from the newest weather run that has it.',
        querystring: query({ ...forecastParameters(classes), units: gridUnits }),
        response: forecastGridResponses,
      },
    },
    async (request, reply) => {
      const { units = 'index', ...given } = request.query;
      const wanted = forecastQuery(given);
      const file = await forecastGrid(shelf, wanted, units, request.hangUp);
      const product = `${units === 'index' ? 'contrails' : units}_${fileWords(wanted)}`;
      return sendGrid(request, reply, file, product, wanted.timeMs, 'netcdf');
    },
  );
}

function serveRegions(
  app: App,
  shelf: CocipShelf,
  classes: readonly [AircraftClass, ...AircraftClass[]],
): void {
  app.get(
    '/v1/regions',
    {
      config: { scope: 'forecast', problems: ['not-found'] },
      schema: {
        tags: ['forecast'],
        summary: 'Contrail forecast as regions',
        description:
          'Polygons around the cells whose forcing index reaches a threshold, for one hour, on one flight level or all, from the newest weather run that has it.',
        querystring: query({ ...forecastParameters(classes), threshold: regionThreshold }),
        response: regionsResponses,
      },
    },
    async (request, reply) => {
      const { threshold, ...given } = request.query;
      const wanted = forecastQuery(given);
      const file = await forecastRegions(shelf, wanted, threshold, request.hangUp);
      return sendFile(request, reply, file, {
        contentType: 'application/geo+json',
        name: gridFileName(`regions_${fileWords(wanted)}`, wanted.timeMs, 'geojson'),
      });
    },
  );
}

interface GivenForecast {
  readonly time: number;
  readonly flight_level: number | undefined;
  readonly aircraft_class: AircraftClass;
  readonly forecast_reference_time: number | undefined;
}

function forecastQuery(given: GivenForecast) {
  return {
    timeMs: Math.floor(given.time / HOUR_MS) * HOUR_MS,
    flightLevel: given.flight_level,
    aircraftClass: given.aircraft_class,
    referenceTimeMs: given.forecast_reference_time,
  };
}

function fileWords({ aircraftClass, flightLevel }: ReturnType<typeof forecastQuery>): string {
  return flightLevel === undefined ? aircraftClass : `${aircraftClass}_FL${flightLevel}`;
}
