/** A route whose winds, fuel flows and contrails are given as plain data, and its three answers. */
import { CO2E_HORIZONS, type Co2eHorizon } from '../climate/co2-equivalence.ts';
import { InputError } from '../errors.ts';
import { FIGURE_FIELDS, published } from '../fields.ts';
import { JET_A1 } from '../fuel.ts';
import { COOLING_RULES, type CoolingRule, type Prices } from '../planning/cost.ts';
import { areasOf } from './areas.ts';
import { givenChoices } from './choices.ts';
import { griddedLayer } from './fields.ts';
import { makeLattice, nodePosition, type Position } from './frame.ts';
import { type FoundRoute, openRouteSearch, type RouteProblem } from './search.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a document of `plan route --fields` asks for. */
export interface GivenRoute {
  readonly problem: RouteProblem;
  readonly prices: Prices;
}

/** Reads the document; an error names the member that is wrong. */
export function readGivenRoute(document: unknown): GivenRoute {
  const fields = recordAt(document, 'the document');
  const levels = listAt(fields, 'levels').map((value, i) => {
    const level = recordAt(value, `levels[${i}]`);
    return {
      flightLevel: numberAt(level, 'flight_level', `levels[${i}].`),
      trueAirspeedMS: numberAt(level, 'true_airspeed', `levels[${i}].`),
      fuelFlowKgS: numberAt(level, 'fuel_flow', `levels[${i}].`),
    };
  });
  const departureS = secondsAt(fields.departure_time, 'departure_time');
  return {
    prices: pricesOf(recordAt(fields.prices, 'prices')),
    problem: {
      lattice: makeLattice(positionAt(fields, 'origin'), positionAt(fields, 'destination'), {
        stageM: 1000 * positiveAt(fields, 'stage_km'),
        offsetM: 1000 * positiveAt(fields, 'offset_km'),
        corridorM: 1000 * numberAt(fields, 'max_offset_km'),
        maxSteps: numberAt(fields, 'max_steps'),
      }),
      choices: givenChoices(levels, positiveAt(fields, 'mass_reference')),
      fields: {
        levels: levels.length,
        air: layerAt(fields, 'wind', ['u', 'v'], levels.length),
        contrails: layerAt(fields, 'ef_per_m', ['values'], levels.length),
      },
      areas: fields.avoid === null || fields.avoid === undefined ? [] : areasOf(fields.avoid),
      parity: 'none',
      maxStepFt: numberAt(fields, 'max_step_ft'),
      departureS,
      massKg: positiveAt(fields, 'takeoff_mass'),
    },
  };
}

/** The optimum, the wind-optimal route and the great circle, each evaluated with the prices of the document. */
export function solveGivenRoute({ problem, prices }: GivenRoute): Json {
  const search = openRouteSearch(problem);
  const optimum = search.find(prices);
  const direct = search.find({ ...prices, carbonPrice: 0 });
  const windOptimal = direct && search.evaluate(direct, prices);
  const greatCircle = search.greatCircle(prices);
  const levelOf = (choice: number) => problem.choices.flightLevels[choice] as number;
  const pathOf = ({ offsets, choices }: FoundRoute) =>
    [...offsets].map((offset, i) => [offset, levelOf(choices[i] as number)]);
  const positions = ({ offsets }: FoundRoute) =>
    [0, ...offsets].map((offset, i) => nodePosition(problem.lattice, i, offset));
  return {
    length_km: problem.lattice.lengthM / 1000,
    stages: problem.lattice.stages,
    optimum: optimum
      ? {
          ...figuresOf(optimum),
          path: pathOf(optimum),
          longitude: positions(optimum).map(([lon]) => lon),
          latitude: positions(optimum).map(([, lat]) => lat),
        }
      : null,
    wind_optimal: windOptimal ? { ...figuresOf(windOptimal), path: pathOf(windOptimal) } : null,
    great_circle: greatCircle
      ? { flight_level: levelOf(greatCircle.choices[0] as number), ...figuresOf(greatCircle) }
      : null,
  };
}

function figuresOf({ figures }: FoundRoute): Json {
  return {
    ...published(FIGURE_FIELDS, {
      cost: figures.cost,
      fuel_kg: figures.fuelKg,
      flight_time_s: figures.timeS,
      energy_forcing_j: figures.energyForcingJ,
    }),
    paid_j: figures.paidJ,
  };
}

function pricesOf(prices: Json): Prices {
  const price = (name: string) => numberAt(prices, name, 'prices.');
  return {
    fuelPrice: price('fuel_price'),
    costIndex: price('cost_index'),
    carbonPrice: price('carbon_price'),
    horizon: oneOf<Co2eHorizon>(prices.horizon, CO2E_HORIZONS, 'prices.horizon'),
    cooling: oneOf<CoolingRule>(prices.cooling, COOLING_RULES, 'prices.cooling'),
    eiCo2: JET_A1.eiCo2,
  };
}

function layerAt(fields: Json, name: string, variables: readonly string[], levels: number) {
  const layer = recordAt(fields[name], name);
  const axis = (of: string) => Float64Array.from(listAt(layer, of, `${name}.`), Number);
  const [longitude, latitude] = [axis('longitude'), axis('latitude')];
  const timesS = Float64Array.from(listAt(layer, 'time', `${name}.`), (time) =>
    secondsAt(time, `${name}.time`),
  );
  for (const [of, values] of Object.entries({ time: timesS, longitude, latitude })) {
    if (values.length === 0 || values.some((value, i) => !(i === 0 || value > (values[i - 1] as number))))
      throw new InputError(`${name}.${of} is not ascending; give its values in ascending order, each once`, {
        name,
        of,
      });
  }
  const count = timesS.length * levels * latitude.length * longitude.length;
  const values = variables.map((variable) => {
    const flat = Float64Array.from(listAt(layer, variable, `${name}.`).flat(3) as unknown[], Number);
    if (flat.length === count) return flat;
    throw new InputError(
      `${name}.${variable} has ${flat.length} values; ${timesS.length} times × ${levels} levels × ${latitude.length} latitudes × ${longitude.length} longitudes need ${count}`,
      { name, variable },
    );
  });
  // Airspeeds are given, so the temperature counts for nothing.
  const padded = variables.length === 2 ? [new Float64Array(count), ...values] : values;
  return griddedLayer({ timesS, longitude, latitude, levels, values: padded });
}

function recordAt(value: unknown, path: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new InputError(`${path} is not an object`, { path, value });
}

function listAt(record: Json, name: string, prefix = ''): readonly unknown[] {
  const value = record[name];
  if (Array.isArray(value) && value.length > 0) return value;
  throw new InputError(`${prefix}${name} is not a list with values`, { path: prefix + name, value });
}

function numberAt(record: Json, name: string, prefix = ''): number {
  const value = record[name];
  if (typeof value === 'number' && value >= 0) return value;
  throw new InputError(`${prefix}${name} is ${JSON.stringify(value)}; give a number of at least 0`, {
    path: prefix + name,
    value,
  });
}

function positiveAt(record: Json, name: string): number {
  const value = numberAt(record, name);
  if (value > 0) return value;
  throw new InputError(`${name} is 0; give a number above 0`, { path: name, value });
}

function positionAt(record: Json, name: string): Position {
  const value = record[name];
  const [longitude, latitude] = Array.isArray(value) ? (value as unknown[]) : [];
  if (typeof longitude === 'number' && typeof latitude === 'number' && Math.abs(latitude) <= 90)
    return [longitude, latitude];
  throw new InputError(`${name} is ${JSON.stringify(value)}; give [longitude, latitude] in degrees`, {
    path: name,
    value,
  });
}

function secondsAt(value: unknown, path: string): number {
  const seconds = typeof value === 'string' ? Date.parse(value) / 1000 : Number.NaN;
  if (!Number.isNaN(seconds)) return seconds;
  throw new InputError(`${path} is ${JSON.stringify(value)}; give a time such as 2027-02-03T20:00:00Z`, {
    path,
    value,
  });
}

function oneOf<T extends string | number>(value: unknown, words: readonly T[], path: string): T {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new InputError(`${path} is ${JSON.stringify(value)}; give one of ${words.join(', ')}`, {
    path,
    value,
  });
}
