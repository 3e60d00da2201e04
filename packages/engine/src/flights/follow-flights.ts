/** Contrails of a group of flights: followed together, because a step of many points costs little more than one of few. */
import {
  type CocipParams,
  contrailSources,
  followContrails,
  joinSources,
  type PlumeTable,
  type Weather,
} from '@contrails/physics/cocip';
import { ContrailLines, contrailLineColumns } from './contrail-lines.ts';
import { CONTRAIL_ROW_PLUME_COLUMNS, ContrailRows } from './contrail-rows.ts';
import { ContrailStates, minutesAround, STATE_PLUME_COLUMNS } from './contrail-states.ts';
import type { Evaluation, OnStep, PreparedFlight } from './prepare-flight.ts';
import { RADIATION_PLUME_COLUMNS, RadiationMeans } from './radiation-means.ts';

/** What became of the contrails of one flight, by waypoint. */
export interface FlightContrails {
  readonly isFollowed: boolean;
  /** [J] */
  readonly energyForcing: Float64Array;
  /** [s] */
  readonly age: Float64Array;
  /** 1, 0, or NaN outside the criterion. */
  readonly persistent1: Float64Array;
  /** How many waypoints have a contrail that lives through a step without radiation. */
  readonly withoutForcing: number;
  /** How many waypoints have a contrail whose wind or vertical velocity the weather lacks. */
  readonly adrift: number;
  readonly weatherEnd: WeatherEnd;
  readonly lines: ContrailLines | undefined;
  readonly rows: ContrailRows | undefined;
  readonly states: ContrailStates | undefined;
  readonly radiation: RadiationMeans | undefined;
}

/** No flight's contrails depend on the others of the group. */
export function followFlights(
  flights: readonly PreparedFlight[],
  { weather, weatherEndMs, scaleHumidity, params, includes, contrailRows, contrailsAt }: Evaluation,
  onStep: OnStep,
): FlightContrails[] {
  const wantsLines = includes.includes('contrail') && contrailRows === undefined;
  const wantsRadiation = includes.includes('radiation');
  const watchers = flights.map(({ task: { about, flight, indexInAnswer } }) => ({
    weatherEnd: new WeatherEnd(weatherEndMs, params),
    lines: wantsLines ? new ContrailLines(about.id, indexInAnswer, wantsRadiation) : undefined,
    rows: contrailRows && new ContrailRows(indexInAnswer, contrailRows),
    states: contrailsAt && new ContrailStates(flight.timeMs.length, contrailsAt),
    radiation: wantsRadiation ? new RadiationMeans(flight.timeMs.length) : undefined,
  }));
  const watched = [
    ...(wantsLines ? contrailLineColumns(wantsRadiation) : []),
    ...(contrailRows === undefined ? [] : CONTRAIL_ROW_PLUME_COLUMNS),
    ...(contrailsAt === undefined ? [] : STATE_PLUME_COLUMNS),
    ...(wantsRadiation ? RADIATION_PLUME_COLUMNS : []),
  ];
  const { sources, firstRow } = joinSources(
    flights.map(({ evaluated, attributes }, f) => contrailSources(evaluated, f, attributes, params)),
  );
  const contrails = followContrails(
    sources,
    firstRow,
    constantWeather(weather),
    scaleHumidity,
    params,
    (plumes, count, _step, toMs) => {
      onStep(toMs);
      const isNearEnd = watchers[0]?.weatherEnd.isNear(toMs);
      if (watched.length === 0 && !isNearEnd) return;
      eachFlight(plumes, count, (f, from, to) => {
        watchers[f]?.lines?.add(plumes, from, to, toMs);
        watchers[f]?.rows?.add(plumes, from, to, toMs);
        watchers[f]?.states?.add(plumes, from, to, toMs);
        watchers[f]?.radiation?.add(plumes, from, to);
        if (isNearEnd) watchers[f]?.weatherEnd.look(plumes, from, to);
      });
    },
    watched,
    (young, count) =>
      contrailsAt && eachFlight(young, count, (f, from, to) => watchers[f]?.states?.begin(young, from, to)),
    contrailsAt && {
      timesMs: minutesAround(contrailsAt.atMs),
      see: (plumes, count, timeMs) =>
        eachFlight(plumes, count, (f, from, to) => watchers[f]?.states?.seeWithin(plumes, from, to, timeMs)),
    },
  );
  return watchers.map((watcher, f) => {
    const rows = <T extends Float64Array | Uint8Array>(column: T) =>
      column.subarray(firstRow[f], firstRow[f + 1] ?? sources.count) as T;
    const countOf = (marks: Uint8Array) => rows(marks).reduce((sum, one) => sum + one, 0);
    return {
      ...watcher,
      isFollowed: contrails.flightsFollowed[f] === 1,
      energyForcing: rows(contrails.energyForcing),
      age: rows(contrails.age),
      persistent1: rows(contrails.report.persistent1),
      withoutForcing: countOf(contrails.unforced),
      adrift: countOf(contrails.adrift),
    };
  });
}

/** The rows of each flight that has some. */
function eachFlight(
  { flight }: PlumeTable,
  count: number,
  see: (flight: number, from: number, to: number) => void,
): void {
  let from = 0;
  for (let i = 1; i <= count; i++) {
    if (i < count && flight[i] === flight[from]) continue;
    see(flight[from] as number, from, i);
    from = i;
  }
}

/** Every stage of the model sees all the weather there is. */
function constantWeather(weather: Weather | undefined) {
  if (weather === undefined) throw new TypeError('contrails cannot be followed without weather');
  return { formation: weather, evolution: () => weather };
}

/** Counts, in the last step that the weather covers, the contrails whose next step it does not. */
class WeatherEnd {
  cutShort = 0;
  readonly endMs: number;
  private readonly params: CocipParams;

  constructor(endMs: number, params: CocipParams) {
    this.endMs = endMs;
    this.params = params;
  }

  /** Whether the step that ends at a time is the last one that the weather covers. */
  isNear(toMs: number): boolean {
    return toMs <= this.endMs && toMs + this.params.dtIntegrationS * 1000 > this.endMs;
  }

  /** Takes the rows of the flight, `from` to `to` (not included), after the last step that the weather covers. */
  look(plumes: PlumeTable, from: number, to: number): void {
    const { dtIntegrationS, maxAgeS } = this.params;
    for (let i = from; i < to; i++) {
      if ((plumes.age[i] as number) + dtIntegrationS <= maxAgeS && plumes.energyForcing[i] !== 0)
        this.cutShort++;
    }
  }
}
