/** The contrails of one flight, or of several on a common time grid, from formation to the end of the last one. */
import { scoped } from '../vector/wasm/memory.ts';
import { CHAINED_SEGMENTS, isContinuous } from './chain.ts';
import type { ContrailSources } from './contrail-sources.ts';
import { completeFormation, type FormationReport, formContrails } from './formation.ts';
import { overlapContrails } from './overlap.ts';
import type { CocipParams } from './params.ts';
import { isPersistent } from './persistence.ts';
import {
  appendPlumes,
  carriedColumns,
  isAdrift,
  keepMarked,
  makePlumes,
  mergeRows,
  PLUME_COLUMNS,
  type PlumeColumn,
  type Plumes,
  type PlumeTable,
} from './plumes.ts';
import { stirByRadiation } from './properties.ts';
import { type AdjustHumidity, advancePlumes } from './step.ts';
import type { ScaleHumidity, Weather } from './weather.ts';

/**
 * Which weather each stage sees. A service lets all stages see all of it; the reference implementation cuts moving
 * windows, which this can follow to compare with it.
 */
export interface WeatherPlan {
  readonly formation: Weather;
  /** The weather of the evolution, asked for once the young contrails are known. */
  evolution(young: PlumeTable, count: number): Weather;
  /** The weather of a step that ends at a time; `active` are the points at its start. */
  step?(toMs: number, active: PlumeTable, count: number): Weather;
}

/** Sees the surviving points of a step; `step` counts the steps that had points. */
export type StepObserver = (plumes: PlumeTable, count: number, step: number, toMs: number) => void;

/** Sees all contrails as they formed, each at its own time, before the first step. */
export type FormationObserver = (young: PlumeTable, count: number) => void;

/** Observes contrails between steps without changing them: an extra step brings those that have formed to each time. */
export interface BetweenSteps {
  /** In ascending order [ms since 1970]. */
  readonly timesMs: readonly number[];
  /** Sees the points that are in a step at a time within it, before the step itself. */
  see(plumes: PlumeTable, count: number, timeMs: number): void;
}

export interface TrajectoryContrails {
  /**
   * Per flight, 1 when a contrail of it was followed; otherwise energy, age and persistence are 0 inside the data and
   * NaN outside.
   */
  readonly flightsFollowed: Uint8Array;
  readonly report: FormationReport;
  /** Per source row: energy forcing [J] and age [s]. */
  readonly energyForcing: Float64Array;
  readonly age: Float64Array;
  /** Per source row, 1 where a step has no energy, because radiation begins after the weather or ends before it. */
  readonly unforced: Uint8Array;
  /** Per source row, 1 where the weather lacks the wind or vertical velocity of a contrail: its energy and age are NaN. */
  readonly adrift: Uint8Array;
}

/**
 * Follows the contrails of all rows. Rows of one flight are contiguous, ordered in time, and their waypoints count up by
 * one; `firstRow[f]` is the first row of flight f. What is found of a flight does not depend on the others, unless
 * contrails may overlap.
 */
export function followContrails(
  sources: ContrailSources,
  firstRow: ArrayLike<number>,
  plan: WeatherPlan,
  scaleHumidity: ScaleHumidity,
  params: CocipParams,
  observe?: StepObserver,
  /** Columns that the observer reads besides flight, waypoint, energy and age. */
  observed: readonly PlumeColumn[] = PLUME_COLUMNS,
  observeFormation?: FormationObserver,
  between?: BetweenSteps,
): TrajectoryContrails {
  return scoped(() =>
    follow(sources, firstRow, plan, scaleHumidity, params, observe, observed, observeFormation, between),
  );
}

function follow(
  sources: ContrailSources,
  firstRow: ArrayLike<number>,
  plan: WeatherPlan,
  scaleHumidity: ScaleHumidity,
  params: CocipParams,
  observe: StepObserver | undefined,
  observed: readonly PlumeColumn[],
  observeFormation: FormationObserver | undefined,
  between: BetweenSteps | undefined,
): TrajectoryContrails {
  const { plumes: young, report } = formContrails(sources, plan.formation, scaleHumidity, params);
  const totals = new Totals(sources.count, firstRow);
  if (young.count === 0) return totals.finish(report);
  const evolutionWeather = plan.evolution(young.columns, young.count);
  completeFormation(young, evolutionWeather, CHAINED_SEGMENTS, params);
  observeFormation?.(young.columns, young.count);

  const active = makePlumes(young.count);
  const marks = new Uint8Array(young.count);
  const grid = new TimeGrid(sources, firstRow, params);
  const joining = new JoiningPoints(young, grid);
  const looked = params.contrailContrailOverlapping ? PLUME_COLUMNS : observe === undefined ? [] : observed;
  const carried = carriedColumns(params);
  const kept = [...new Set([...carried, ...SUMMED_COLUMNS, ...looked])];
  const adjustHumidity = sources.humidityFactor && byRow(sources.humidityFactor, firstRow);
  const copies = between && new CopiesBetweenSteps(between, young.count, carried);
  let executed = 0;
  for (let step = 0; step < grid.steps; step++) {
    const toMs = grid.timeMs(step);
    grid.endFlights(step, active, marks, carried);
    totals.noteFollowed(joining.join(step, active, carried), young.columns);
    if (active.count === 0) continue;
    totals.noteAdrift(active.columns, active.count);
    const weather = plan.step?.(toMs, active.columns, active.count) ?? evolutionWeather;
    const advance = ({ columns, count }: Plumes, timeMs: number) =>
      advancePlumes(columns, count, timeMs, weather, scaleHumidity, CHAINED_SEGMENTS, params, adjustHumidity);
    copies?.see(active, toMs, advance);
    advance(active, toMs);
    endLives(active, marks, toMs, params, kept);
    if (params.contrailContrailOverlapping) {
      overlapContrails(active.columns, active.count, params);
      // The next step begins with the radiation that the others have left.
      if (params.radiativeHeatingEffects) stirByRadiation(active.columns, active.count, params);
    }
    totals.add(active.columns, active.count);
    observe?.(active.columns, active.count, executed, toMs);
    executed++;
  }
  return totals.finish(report);
}

/** A copy of the points of a step for each time within it. */
class CopiesBetweenSteps {
  private readonly between: BetweenSteps;
  private readonly carried: readonly PlumeColumn[];
  private readonly copy: Plumes;
  private readonly marks: Uint8Array;
  private next = 0;

  constructor(between: BetweenSteps, capacity: number, carried: readonly PlumeColumn[]) {
    this.between = between;
    this.carried = carried;
    this.copy = makePlumes(capacity);
    this.marks = new Uint8Array(capacity);
  }

  /** Before the step that brings the active points to `toMs`. */
  see(active: Plumes, toMs: number, advance: (copy: Plumes, timeMs: number) => void): void {
    const { timesMs } = this.between;
    for (; (timesMs[this.next] ?? Number.POSITIVE_INFINITY) < toMs; this.next++) {
      const timeMs = timesMs[this.next] as number;
      this.copy.count = 0;
      appendPlumes(this.copy, active.columns, 0, active.count, this.carried);
      for (let i = 0; i < active.count; i++)
        this.marks[i] = (active.columns.timeMs[i] as number) < timeMs ? 1 : 0;
      keepMarked(this.copy, this.marks, this.carried);
      if (this.copy.count === 0) continue;
      advance(this.copy, timeMs);
      this.between.see(this.copy.columns, this.copy.count, timeMs);
    }
  }
}

/** Multiplies humidity by the factor of the row that a point comes from. */
function byRow(factors: Float64Array, firstRow: ArrayLike<number>): AdjustHumidity {
  return (humidity, { flight, waypoint }, count) => {
    for (let i = 0; i < count; i++) {
      const row = (firstRow[flight[i] as number] as number) + (waypoint[i] as number);
      humidity[i] = (humidity[i] as number) * (factors[row] as number);
    }
  };
}

/** The times at which steps end: multiples of dt, for each flight until its last row has lived for its longest. */
class TimeGrid {
  readonly steps: number;
  private readonly firstMs: number;
  private readonly dtMs: number;
  /** Of each flight, how many of the steps it takes part in. */
  private readonly stepsOfFlight: Int32Array;

  constructor(
    { timeMs }: ContrailSources,
    firstRow: ArrayLike<number>,
    { dtIntegrationS, maxAgeS }: CocipParams,
  ) {
    this.dtMs = dtIntegrationS * 1000;
    let earliest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < timeMs.length; i++) earliest = Math.min(earliest, timeMs[i] as number);
    this.firstMs = Math.ceil(earliest / this.dtMs) * this.dtMs;
    this.stepsOfFlight = Int32Array.from(firstRow, (from, flight) => {
      const to = firstRow[flight + 1] ?? timeMs.length;
      let latest = Number.NEGATIVE_INFINITY;
      for (let i = from; i < to; i++) latest = Math.max(latest, timeMs[i] as number);
      const endMs = Math.floor(latest / this.dtMs) * this.dtMs + maxAgeS * 1000;
      return Math.ceil((endMs - this.firstMs) / this.dtMs);
    });
    this.steps = this.stepsOfFlight.reduce((a, b) => Math.max(a, b), 0);
  }

  timeMs(step: number): number {
    return this.firstMs + step * this.dtMs;
  }

  /** The first step of a point that forms at a time, or −1 when its flight takes part in no further one. */
  firstStepOf(formedMs: number, flight: number): number {
    const step = Math.max(0, Math.floor((formedMs - this.firstMs) / this.dtMs) + 1);
    return step < (this.stepsOfFlight[flight] as number) ? step : -1;
  }

  /** Removes the points of flights that do not take part in a step any more. */
  endFlights(step: number, plumes: Plumes, marks: Uint8Array, carried: readonly PlumeColumn[]): void {
    if (!this.stepsOfFlight.includes(step)) return;
    const { flight } = plumes.columns;
    for (let i = 0; i < plumes.count; i++) {
      marks[i] = (this.stepsOfFlight[flight[i] as number] as number) > step ? 1 : 0;
    }
    keepMarked(plumes, marks, carried);
  }
}

/** Young contrails that wait for their first step. */
class JoiningPoints {
  private readonly young: Plumes;
  /** Rows by their first step, and for each step where its rows end. */
  private readonly rows: Uint32Array;
  private readonly ends: Uint32Array;

  constructor(young: Plumes, grid: TimeGrid) {
    this.young = young;
    const { timeMs, flight } = young.columns;
    const steps = new Int32Array(young.count);
    this.ends = new Uint32Array(grid.steps);
    for (let i = 0; i < young.count; i++) {
      const step = grid.firstStepOf(timeMs[i] as number, flight[i] as number);
      steps[i] = step;
      if (step >= 0) this.ends[step] = (this.ends[step] as number) + 1;
    }
    let before = 0;
    for (let step = 0; step < grid.steps; step++) {
      const count = this.ends[step] as number;
      this.ends[step] = before;
      before += count;
    }
    this.rows = new Uint32Array(before);
    for (let i = 0; i < young.count; i++) {
      const step = steps[i] as number;
      if (step < 0) continue;
      this.rows[this.ends[step] as number] = i;
      this.ends[step] = (this.ends[step] as number) + 1;
    }
  }

  /** Moves the points of a step into the active set, which stays ordered by flight and waypoint; returns their rows. */
  join(step: number, active: Plumes, carried: readonly PlumeColumn[]): Uint32Array {
    const rows = this.rows.subarray(step === 0 ? 0 : this.ends[step - 1], this.ends[step]);
    if (rows.length > 0) mergeRows(active, this.young.columns, rows, carried);
    return rows;
  }
}

/**
 * Removes the points that have reached the end of their life, with the energy of this step; a survivor whose neighbour
 * is gone contributes nothing either.
 */
function endLives(
  plumes: Plumes,
  marks: Uint8Array,
  toMs: number,
  params: CocipParams,
  kept: readonly PlumeColumn[],
): void {
  const p = plumes.columns;
  const bufferMs = params.persistentBufferS === null ? null : params.persistentBufferS * 1000;
  for (let i = 0; i < plumes.count; i++) {
    const lives = isPersistent(
      params,
      p.age[i] as number,
      p.opticalDepth[i] as number,
      p.particlesPerM3[i] as number,
      p.altitude[i] as number,
      p.length[i] as number,
      p.latitude[i] as number,
    );
    if (bufferMs !== null && !lives && Number.isNaN(p.endOfLifeMs[i])) p.endOfLifeMs[i] = toMs;
    const stays = bufferMs === null ? lives : !(toMs - (p.endOfLifeMs[i] as number) >= bufferMs);
    marks[i] = stays ? 1 : 0;
    if (p.energyForcing[i] === 0) p.age[i] = 0;
  }
  keepMarked(plumes, marks, kept);
  if (bufferMs !== null) return;
  const { count } = plumes;
  for (let i = 0; i < count; i++) {
    if (!isContinuous(p, i, count)) p.energyForcing[i] = p.age[i] = 0;
  }
}

/** Columns that are added up after a step. */
const SUMMED_COLUMNS: readonly PlumeColumn[] = ['flight', 'waypoint', 'energyForcing', 'age'];

/** Energy and age per source row over all steps. */
class Totals {
  private readonly firstRow: ArrayLike<number>;
  private readonly energyForcing: Float64Array;
  private readonly age: Float64Array;
  private readonly unforced: Uint8Array;
  private readonly adrift: Uint8Array;
  private readonly followed: Uint8Array;

  constructor(count: number, firstRow: ArrayLike<number>) {
    this.firstRow = firstRow;
    this.followed = new Uint8Array(firstRow.length);
    this.energyForcing = new Float64Array(count);
    this.age = new Float64Array(count);
    this.unforced = new Uint8Array(count);
    this.adrift = new Uint8Array(count);
  }

  add({ flight, waypoint, energyForcing, age }: PlumeTable, count: number): void {
    for (let i = 0; i < count; i++) {
      const row = (this.firstRow[flight[i] as number] as number) + (waypoint[i] as number);
      const energy = energyForcing[i] as number;
      if (Number.isNaN(energy)) this.unforced[row] = 1;
      else this.energyForcing[row] = (this.energyForcing[row] as number) + energy;
      this.age[row] = Math.max(this.age[row] as number, age[i] as number);
    }
  }

  noteFollowed(rows: Uint32Array, { flight }: PlumeTable): void {
    for (const row of rows) this.followed[flight[row] as number] = 1;
  }

  /** A segment reaches from its point to the next, so it is as unknown as either of them. */
  noteAdrift(plumes: PlumeTable, count: number): void {
    for (let i = 0; i < count; i++) {
      if (!isAdrift(plumes, i)) continue;
      const first = this.firstRow[plumes.flight[i] as number] as number;
      const row = first + (plumes.waypoint[i] as number);
      this.adrift[row] = 1;
      if (row > first) this.adrift[row - 1] = 1;
    }
  }

  finish(report: FormationReport): TrajectoryContrails {
    const { followed: flightsFollowed, energyForcing, age, unforced, adrift } = this;
    for (let row = 0; row < adrift.length; row++) {
      if (adrift[row] === 1) energyForcing[row] = age[row] = Number.NaN;
    }
    return { flightsFollowed, report, energyForcing, age, unforced, adrift };
  }
}
