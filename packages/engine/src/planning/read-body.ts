/** The body of a plan: that of a trajectory, without what was measured at the level that was flown, and boxes to avoid. */
import type { AvoidBox } from '@contrails/physics/planning';
import { ValidationError } from '@contrails/runtime/errors';
import { isRecord } from '@contrails/runtime/is-record';
import { ErrorList, Rejected } from '@contrails/runtime/options/rejected';
import { shown } from '@contrails/runtime/options/shown';
import { explainTime, parseTimeMs } from '@contrails/runtime/options/time';
import { finish, type Work } from '@contrails/runtime/turns';
import { unitWarningsOf } from '../flights/altitude-units.ts';
import { GIVEN_FIELD_NAMES } from '../flights/fields.ts';
import type { RequestFleet } from '../flights/fleet.ts';
import { needsOf } from '../flights/needs.ts';
import type { TrajectoryOptions } from '../flights/options.ts';
import type { GivenParameters, ParameterName } from '../flights/parameter-table.ts';
import { flightsIn, readBody } from '../flights/read-body.ts';
import { readParameterFlags, readParameters, withParameters } from '../flights/read-parameters.ts';
import type { PlanningOptions } from './options.ts';

export interface PlanningBody {
  readonly fleet: RequestFleet;
  /** Where the body gives one number for all waypoints. */
  readonly nvpmEiN: number | undefined;
  readonly avoid: readonly AvoidBox[];
  readonly parameters: GivenParameters | undefined;
  readonly warnings: readonly string[];
}

/** A body, and what is asked of it. */
export interface PlanningRequest extends Omit<PlanningBody, 'parameters'> {
  readonly options: TrajectoryOptions;
  readonly planning: PlanningOptions;
}

/** Throws where the parameters of the body and the options of the query disagree. */
export function planningRequestOf(
  { parameters, ...body }: PlanningBody,
  planning: PlanningOptions,
  options: TrajectoryOptions,
): PlanningRequest {
  return {
    ...{ ...body, planning, options: withParameters(options, parameters) },
    warnings: [...body.warnings, ...finish(unitWarningsOf(body.fleet)).map(({ msg }) => msg)],
  };
}

const MAX_BOXES = 100;
/** What a row does not take over: `aircraft_mass` is the mass at the first waypoint. */
const MEASURED: readonly string[] = [
  ...GIVEN_FIELD_NAMES.filter((name) => name !== 'aircraft_mass'),
  ...['u_wind', 'v_wind'],
];

export function* readPlanningBody(raw: unknown): Work<PlanningBody | Rejected> {
  const flights = flightsIn(raw);
  const given = (flights ?? [raw]).filter(isRecord);
  const nvpmEiN = commonNumber(given.map(({ nvpm_ei_n }) => nvpm_ei_n));
  const ignored = MEASURED.filter(
    (name) =>
      given.some((body) => body[name] !== undefined && body[name] !== null) &&
      !(name === 'nvpm_ei_n' && nvpmEiN !== undefined),
  );
  const unread = new Set([...ignored, 'parameters']);
  const kept = (body: unknown) =>
    isRecord(body) ? Object.fromEntries(Object.entries(body).filter(([name]) => !unread.has(name))) : body;
  const { parameters: rawParameters, avoid: rawAvoid } = isRecord(raw) ? raw : {};
  const read = yield* readBody(
    flights === undefined ? kept(raw) : flights.map(kept),
    'cocip',
    needsOf('cocip', []),
  );
  const avoid = readAvoid(rawAvoid);
  const parameters = readPlanParameters(rawParameters);
  if (read instanceof Rejected || avoid instanceof Rejected || parameters instanceof Rejected) {
    const rejected = [read, avoid, parameters].filter((part) => part instanceof Rejected);
    return new Rejected(
      rejected.flatMap(({ errors }) => errors),
      rejected.reduce((sum, { more }) => sum + more, 0),
    );
  }
  const warnings = ignored.length === 0 ? [] : [ignoredWarning(ignored)];
  return { fleet: read.fleet, nvpmEiN, avoid, parameters, warnings };
}

/** The number that all of them are. */
function commonNumber(values: readonly unknown[]): number | undefined {
  const [first] = values;
  return typeof first === 'number' && values.every((value) => value === first) ? first : undefined;
}

function ignoredWarning(names: readonly string[]): string {
  return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} ignored: measured at the level that was flown, and computed again at every other`;
}

/** Parameters of the contrail model that a plan has no choice of, with the reason. */
const FIXED = {
  max_altitude_m:
    'a plan has no upper limit, because every contrail above it would vanish and the best level would lie there',
  contrail_contrail_overlapping: 'a plan treats each flight as if it were alone',
} as const satisfies Partial<Record<ParameterName, string>>;

/** `--param name=value`, as often as there are parameters; throws a `ValidationError`. */
export function readPlanFlags(flags: readonly string[]): GivenParameters | undefined {
  const parameters = readParameterFlags(flags, 'cocip');
  const errors = fixedErrors(parameters, (name) => `--param ${name}`);
  if (errors.isEmpty) return parameters;
  throw new ValidationError(errors.rejected().errors);
}

function readPlanParameters(raw: unknown): GivenParameters | Rejected | undefined {
  const parameters = readParameters(raw, 'cocip');
  if (parameters === undefined || parameters instanceof Rejected) return parameters;
  const errors = fixedErrors(parameters, (name) => `parameters.${name}`);
  return errors.isEmpty ? parameters : errors.rejected();
}

function fixedErrors(parameters: GivenParameters = {}, labelOf: (name: string) => string): ErrorList {
  const errors = new ErrorList();
  for (const [name, reason] of Object.entries(FIXED)) {
    const value = parameters[name as keyof typeof FIXED];
    if (value === undefined || value === null || value === false) continue;
    errors.add(
      ['body', 'parameters', name],
      `${labelOf(name)} ${shown(value)} is not possible: ${reason}; leave it out`,
      'value_error',
    );
  }
  return errors;
}

/** A list of boxes; undefined and null are none. */
function readAvoid(raw: unknown): readonly AvoidBox[] | Rejected {
  if (raw === undefined || raw === null) return [];
  const errors = new ErrorList();
  if (!Array.isArray(raw)) {
    errors.add(['body', 'avoid'], `avoid is ${shown(raw)}; send a list of boxes`, 'type');
    return errors.rejected();
  }
  if (raw.length > MAX_BOXES)
    errors.add(['body', 'avoid'], `avoid has ${raw.length} boxes; send at most ${MAX_BOXES}`, 'length');
  const boxes = raw.slice(0, MAX_BOXES).map((box: unknown, i) => readBox(box, i, errors));
  return errors.isEmpty ? boxes : errors.rejected();
}

function readBox(raw: unknown, index: number, errors: ErrorList): AvoidBox {
  const box = isRecord(raw) ? raw : {};
  const add = (name: string, sentence: string) =>
    errors.add(['body', 'avoid', index, ...(name === '' ? [] : [name])], sentence, 'value');
  if (!isRecord(raw))
    add('', `avoid[${index}] is ${shown(raw)}; send an object with longitude, latitude and flight_level`);
  const range = (name: string, min: number, max: number, mayWrap = false): [number, number] => {
    const value = box[name];
    const [low, high] = Array.isArray(value) ? (value as unknown[]) : [];
    const isPair =
      Array.isArray(value) &&
      value.length === 2 &&
      [low, high].every((end) => typeof end === 'number' && end >= min && end <= max) &&
      (mayWrap || (low as number) <= (high as number));
    if (isPair) return [low as number, high as number];
    if (isRecord(raw)) {
      const order = mayWrap ? 'west and east' : 'the lower and the higher';
      add(
        name,
        `avoid[${index}].${name} is ${shown(value)}; send ${order} as two numbers from ${min} to ${max}`,
      );
    }
    return [0, 0];
  };
  const timeMs = box.time === undefined || box.time === null ? undefined : readTimes(box.time, index, add);
  return {
    longitude: range('longitude', -180, 180, true),
    latitude: range('latitude', -90, 90),
    flightLevel: range('flight_level', 0, 1000),
    ...(timeMs === undefined ? {} : { timeMs }),
  };
}

function readTimes(
  raw: unknown,
  index: number,
  add: (name: string, sentence: string) => void,
): [number, number] {
  const values = Array.isArray(raw) ? (raw as unknown[]) : [];
  const [from, to] = values.map(parseTimeMs);
  const bad = values.find((value) => Number.isNaN(parseTimeMs(value)));
  if (values.length !== 2) add('time', `avoid[${index}].time is ${shown(raw)}; send two times, from and to`);
  else if (bad !== undefined) add('time', explainTime(`avoid[${index}].time`, bad));
  else if ((from as number) > (to as number))
    add('time', `avoid[${index}].time ends before it begins; send from and to in this order`);
  return [from ?? 0, to ?? 0];
}
