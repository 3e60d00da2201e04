/** The contrails of one flight, or of several on a common time grid, from formation to the end of the last one. */
import { scoped } from '../vector/memory.ts';
import { CHAINED_SEGMENTS, isContinuous } from './chain.ts';
import type { ContrailSources } from './contrail-sources.ts';
import { completeFormation, formContrails } from './formation.ts';
import type { FormationReport } from './formation-report.ts';
import { overlapContrails } from './overlap.ts';
import type { CocipParams } from './params.ts';
import { isPersistent } from './persistence.ts';
import { keepMarked, makePlumes, mergeRows, type Plumes, type PlumeTable } from './plumes.ts';
import { advancePlumes } from './step.ts';
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

export interface TrajectoryContrails {
  /** False when no contrail was followed: then energy, age and persistence are 0 inside the data, NaN outside. */
  readonly followed: boolean;
  readonly report: FormationReport;
  /** Per source row: energy forcing [J] and age [s]. */
  readonly energyForcing: Float64Array;
  readonly age: Float64Array;
}

/**
 * Follows the contrails of all rows. Rows of one flight are contiguous, ordered in time, and their waypoints count up by
 * one; `firstRow[f]` is the first row of flight f.
 */
export function followContrails(
  sources: ContrailSources,
  firstRow: ArrayLike<number>,
  plan: WeatherPlan,
  scaleHumidity: ScaleHumidity,
  params: CocipParams,
  observe?: StepObserver,
): TrajectoryContrails {
  return scoped(() => follow(sources, firstRow, plan, scaleHumidity, params, observe));
}

function follow(
  sources: ContrailSources,
  firstRow: ArrayLike<number>,
  plan: WeatherPlan,
  scaleHumidity: ScaleHumidity,
  params: CocipParams,
  observe: StepObserver | undefined,
): TrajectoryContrails {
  const { plumes: young, report } = formContrails(sources, plan.formation, scaleHumidity, params);
  const totals = new Totals(sources.count, firstRow);
  if (young.count === 0) return totals.finish(false, report);
  const evolutionWeather = plan.evolution(young.columns, young.count);
  completeFormation(young, evolutionWeather, CHAINED_SEGMENTS, params);

  const active = makePlumes(Math.min(young.count, 1024));
  const marks = new Uint8Array(young.count);
  const joining = new JoiningPoints(young);
  const dtMs = params.dtIntegrationS * 1000;
  const { first, end } = timeGrid(sources, dtMs, params.maxAgeS * 1000);
  let executed = 0;
  for (let toMs = first; toMs + dtMs < end; toMs += dtMs) {
    joining.joinBefore(toMs, active);
    if (active.count === 0) {
      if (joining.isEmpty) break;
      continue;
    }
    const weather = plan.step?.(toMs, active.columns, active.count) ?? evolutionWeather;
    advancePlumes(active.columns, active.count, toMs, weather, scaleHumidity, CHAINED_SEGMENTS, params);
    endLives(active, marks, toMs, params);
    if (params.contrailContrailOverlapping) overlapContrails(active.columns, active.count, params);
    totals.add(active.columns, active.count);
    observe?.(active.columns, active.count, executed, toMs);
    executed++;
  }
  return totals.finish(executed > 0, report);
}

/** Multiples of dt: the first not before the first row; the end is dt beyond the longest life of the last row. */
function timeGrid(sources: ContrailSources, dtMs: number, maxAgeMs: number): { first: number; end: number } {
  let earliest = Number.POSITIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < sources.count; i++) {
    earliest = Math.min(earliest, sources.timeMs[i] as number);
    latest = Math.max(latest, sources.timeMs[i] as number);
  }
  return {
    first: Math.ceil(earliest / dtMs) * dtMs,
    end: Math.floor(latest / dtMs) * dtMs + maxAgeMs + dtMs,
  };
}

/** Young contrails that wait for their first step, in the order of their time. */
class JoiningPoints {
  private readonly young: Plumes;
  private readonly byTime: Uint32Array;
  private next = 0;

  constructor(young: Plumes) {
    this.young = young;
    const { timeMs } = young.columns;
    this.byTime = Uint32Array.from({ length: young.count }, (_, i) => i).sort(
      (a, b) => (timeMs[a] as number) - (timeMs[b] as number),
    );
  }

  get isEmpty(): boolean {
    return this.next === this.byTime.length;
  }

  /** Moves the points formed before a time into the active set, which stays ordered by flight and waypoint. */
  joinBefore(toMs: number, active: Plumes): void {
    const { columns } = this.young;
    const first = this.next;
    while (!this.isEmpty && (columns.timeMs[this.byTime[this.next] as number] as number) < toMs) this.next++;
    if (this.next > first) mergeRows(active, columns, this.byTime.slice(first, this.next).sort());
  }
}

/**
 * Removes the points that have reached the end of their life, with the energy of this step; a survivor whose neighbour
 * is gone contributes nothing either.
 */
function endLives(plumes: Plumes, marks: Uint8Array, toMs: number, params: CocipParams): void {
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
  keepMarked(plumes, marks);
  if (bufferMs !== null) return;
  const { count } = plumes;
  for (let i = 0; i < count; i++) {
    if (!isContinuous(p, i, count)) p.energyForcing[i] = p.age[i] = 0;
  }
}

/** Energy and age per source row over all steps. */
class Totals {
  private readonly firstRow: ArrayLike<number>;
  private readonly energyForcing: Float64Array;
  private readonly age: Float64Array;

  constructor(count: number, firstRow: ArrayLike<number>) {
    this.firstRow = firstRow;
    this.energyForcing = new Float64Array(count);
    this.age = new Float64Array(count);
  }

  add({ flight, waypoint, energyForcing, age }: PlumeTable, count: number): void {
    for (let i = 0; i < count; i++) {
      const row = (this.firstRow[flight[i] as number] as number) + (waypoint[i] as number);
      const energy = energyForcing[i] as number;
      if (!Number.isNaN(energy)) this.energyForcing[row] = (this.energyForcing[row] as number) + energy;
      this.age[row] = Math.max(this.age[row] as number, age[i] as number);
    }
  }

  finish(followed: boolean, report: FormationReport): TrajectoryContrails {
    return { followed, report, energyForcing: this.energyForcing, age: this.age };
  }
}
