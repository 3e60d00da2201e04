import { readFile } from 'node:fs/promises';
import { ROUTE_OPTIONS } from '@contrails/engine/routes/option-table';
import { FIGURE_FIELDS, type FigureName, readField } from '@contrails/physics/fields';
import { type Command, Option } from 'commander';
import { configureWeather } from '../configure.ts';
import { explained, withPlanningEngine } from '../engine.ts';
import { byParameter, example, optionOf, weatherOptions } from '../flags.ts';
import {
  type AttributeFlags,
  attributeOptions,
  attributesOf,
  type FlightFileFlags,
  flightFileOptions,
  splitFlags,
} from '../flight-files.ts';
import { print, say, table } from '../output.ts';
import { writeResult } from '../write-result.ts';

interface OwnOptions {
  readonly fields?: string;
  readonly from?: string;
  readonly to?: string;
  readonly departure?: string;
  readonly avoid?: string;
  readonly geojson?: string;
  readonly json?: boolean;
  readonly output?: string;
  readonly demo?: boolean;
}

/** Figures of one route, searched in given fields or verified by the models. */
type Figures = Readonly<Record<string, unknown>>;
type Solution = Readonly<Record<'optimum' | 'wind_optimal' | 'great_circle', Figures | null>>;
type Verified = Figures & { readonly route: string; readonly waypoints: Record<string, (number | string)[]> };

/** Under which metrics of CO2e a change is better. */
export interface MetricsVerdict {
  readonly better: number;
  readonly of: number;
  readonly delta_co2e_kg: Readonly<Record<string, number | null>>;
}

interface RouteAnswer {
  readonly routes: readonly { readonly name: string; readonly verified: Verified | null }[];
  readonly baseline: Verified | null;
  readonly chosen: Verified | null;
  readonly recommendation: {
    readonly change: boolean;
    readonly reason: string;
    readonly delta_cost: number;
    readonly metrics: MetricsVerdict | null;
  };
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

export function definePlanRoute(parent: Command): void {
  const command = parent
    .command('route')
    .description('the cheapest way across, up and down between two points, verified by the full models')
    .argument(
      '[flight]',
      'a flight in a file of any known format: its ends, its aircraft, itself as the baseline; - reads standard input',
    )
    .option('--from <place>', 'ICAO code of an airport, or longitude,latitude')
    .option('--to <place>', 'ICAO code of an airport, or longitude,latitude')
    .option('--departure <time>', 'when the flight is over the origin in cruise')
    .option('--avoid <file>', 'areas to avoid: GeoJSON polygons')
    .option(
      '--fields <file>',
      'search in winds, fuel flows and contrails of this JSON instead; - reads standard input',
    );
  for (const [name, entry] of Object.entries(ROUTE_OPTIONS)) {
    command.addOption(
      name === 'front' ? new Option('--front [verified]', entry.help) : optionOf(name, entry),
    );
  }
  attributeOptions(flightFileOptions(command));
  command
    .option('--geojson <file>', 'where the chosen track is written')
    .option('--json', 'JSON on a terminal too, where a table is written otherwise')
    .addOption(new Option('-o, --output <file>', 'where the JSON is written'));
  weatherOptions(command).action((flight: string | undefined, options: Record<string, string> & OwnOptions) =>
    run(command, flight, options),
  );
  example(
    command,
    'contrails plan route --from EGLL --to KJFK --departure 2027-02-03T20:00Z --aircraft-type B789',
    'contrails plan route flight.json --front verified --demo',
    'contrails plan route --fields fields.json',
  );
}

async function run(
  command: Command,
  flight: string | undefined,
  {
    fields,
    from,
    to,
    departure,
    avoid,
    geojson,
    json,
    output,
    demo,
    ...flags
  }: Record<string, string> & OwnOptions,
): Promise<void> {
  if (fields !== undefined) {
    const { readGivenRoute, solveGivenRoute } = await import('@contrails/physics/routing');
    const solution = solveGivenRoute(await refusing(fields, readGivenRoute));
    await finish(`${JSON.stringify(solution)}\n`, { output, json }, () =>
      printSolution(solution as unknown as Solution),
    );
    return;
  }
  const { fileFlags, given } = splitFlags(flags);
  const ends = { '--from': from, '--to': to, '--departure': departure };
  const body = {
    ...(flight === undefined
      ? {
          origin: await placeOf('--from', from),
          destination: await placeOf('--to', to),
          departure_time: departure,
          ...present(await attributesOf(fileFlags)),
        }
      : { flight: await flightIn(flight, fileFlags, ends) }),
    ...(avoid === undefined ? {} : { avoid: await refusing(avoid, (document) => document) }),
  };
  const config = await configureWeather(command, demo);
  const parameters = byParameter(
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)])),
  );
  const { toJson } = await import('@contrails/formats/json/writer');
  const text = await withPlanningEngine(config, async (engine) => {
    const plan = await engine.routes(parameters);
    const planned = await plan(body).catch(async (error: unknown) => {
      throw await withRemedy(await explained(error));
    });
    return Buffer.from(toJson(planned)).toString();
  });
  const answer = JSON.parse(text) as RouteAnswer;
  if (geojson !== undefined && answer.chosen !== null)
    await write(geojson, JSON.stringify(trackOf(answer.chosen)));
  await finish(`${text}\n`, { output, json }, () => printAnswer(answer));
}

/** Grids that are not stored are not needed. */
async function withRemedy(error: unknown): Promise<unknown> {
  const { ContrailsError, NotFoundError } = await import('@contrails/runtime/errors');
  if (!(error instanceof NotFoundError)) return error;
  const remedy = 'give --contrails compute, or --contrails none, to search without stored grids';
  return new ContrailsError(`${error.message}; ${remedy}`, { cause: error });
}

async function finish(
  text: string,
  { output, json }: { readonly output: string | undefined; readonly json: boolean | undefined },
  show: () => void,
): Promise<void> {
  if (output !== undefined && output !== '-') await write(output, text);
  else if (process.stdout.isTTY && json !== true && output === undefined) show();
  else process.stdout.write(text);
}

async function write(path: string, text: string): Promise<void> {
  await writeResult(path, { open: async () => Buffer.from(text) }, path);
  say(`${path} is written`);
}

/** Without what is not given. */
const present = (attributes: object) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/** The only flight of a file, with what the file lacks. */
async function flightIn(
  file: string,
  flags: FlightFileFlags & AttributeFlags,
  ends: Readonly<Record<string, string | undefined>>,
): Promise<unknown> {
  const [{ openInput }, { UsageError }] = await Promise.all([
    import('../read-bodies.ts'),
    import('@contrails/runtime/errors'),
  ]);
  const extra = Object.entries(ends).find(([, value]) => value !== undefined)?.[0];
  if (extra !== undefined) throw new UsageError(`${extra} is that of the flight in ${file}; leave it out`);
  const flights: unknown[] = [];
  for await (const { body } of (await openInput([file], flags)).bodies) flights.push(body);
  if (flights.length !== 1)
    throw new UsageError(`${file} has ${flights.length} flights; a route is searched for one`);
  return { ...present(await attributesOf(flags)), ...(flights[0] as object) };
}

async function placeOf(flag: string, text: string | undefined): Promise<unknown> {
  if (text === undefined) {
    const { UsageError } = await import('@contrails/runtime/errors');
    throw new UsageError(
      `${flag} is missing; give an airport such as EGLL, or longitude,latitude, or a file with a flight, or --fields`,
    );
  }
  const [longitude, latitude, ...rest] = text.split(',').map(Number);
  if (latitude === undefined) return text;
  if (rest.length === 0 && Number.isFinite(longitude) && Number.isFinite(latitude))
    return { longitude, latitude };
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(`${flag} ${text} is not a place; give longitude,latitude such as -0.46,51.47`);
}

/** A parsed document, or the error that names the file. */
async function refusing<T>(file: string, read: (document: unknown) => T): Promise<T> {
  try {
    return read(JSON.parse(await readFile(file === '-' ? '/dev/stdin' : file, 'utf8')));
  } catch (error) {
    const { UsageError } = await import('@contrails/runtime/errors');
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${file} cannot be used: ${reason}`, { cause: error });
  }
}

function printSolution({ optimum, wind_optimal, great_circle }: Solution): void {
  printFigures(Object.entries({ great_circle, wind_optimal, optimum }));
}

function printAnswer({ routes, baseline, chosen, recommendation, warnings }: RouteAnswer): void {
  printFigures([
    ['baseline', baseline],
    ...routes.map(({ name, verified }) => [name, verified] as const),
    [`chosen: ${chosen?.route ?? 'none'}`, chosen],
  ]);
  const { change, reason, delta_cost: delta, metrics } = recommendation;
  print(`${change ? 'Change recommended' : 'No change recommended'}: ${reason} (cost ${delta.toFixed(0)})`);
  if (metrics !== null) print(verdictText(metrics));
  print(
    'Only the areas you gave were avoided; airspace, charges and traffic are not known. Figures are for the cruise.',
  );
  for (const warning of warnings) say(`contrails: warning: ${warning}`);
}

/** `better under 7 of 9 metrics (worse: gtp50, gtp100)`. */
export function verdictText({ better, of, delta_co2e_kg }: MetricsVerdict): string {
  const worse = Object.entries(delta_co2e_kg).flatMap(([name, kg]) => (kg !== null && kg < 0 ? [] : [name]));
  return `better under ${better} of ${of} metrics${worse.length === 0 ? '' : ` (worse: ${worse.join(', ')})`}`;
}

const figureOf = (figures: Figures, name: FigureName) =>
  readField(FIGURE_FIELDS, name, figures) ?? Number.NaN;

function printFigures(routes: readonly (readonly [string, Figures | null])[]): void {
  const rows = routes.map(([name, figures]) => [
    name.replaceAll('_', ' '),
    ...(figures === null
      ? ['no way', '', '', '']
      : [
          figureOf(figures, 'cost').toFixed(0),
          `${figureOf(figures, 'fuel_kg').toFixed(0)} kg`,
          `${(figureOf(figures, 'flight_time_s') / 60).toFixed(1)} min`,
          Number(figures.paid_j).toExponential(2),
        ]),
  ]);
  print(table(['route', 'cost', 'fuel', 'time', 'paid ef [J]'], rows));
}

function trackOf({ waypoints, route, cost }: Verified): object {
  const { longitude = [], latitude = [], altitude = [], time } = waypoints;
  const coordinates = longitude.map((lon, i) => [
    lon,
    latitude[i],
    Number((Number(altitude[i]) * 0.3048).toFixed(1)),
  ]);
  return {
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        geometry: { type: 'LineString', coordinates },
        properties: { route, cost, altitude_ft: altitude, time },
      },
    ],
  };
}
