/** Stages of the cruise, and what each level costs in each of them. */
import type { AvoidBox } from './avoid.ts';
import { isInBoxes } from './avoid.ts';
import { costOf, type Prices, paidForcing } from './cost.ts';
import type { PathProblem } from './shortest-path.ts';
import type { CruisePart, WorkingTrack } from './track.ts';

const STAGE_M = 25_000;
/** Waypoints within this distance [m] of the begin of a stage belong to it. */
const PLACE_TOLERANCE_M = 1e-6;

export interface Stages {
  readonly count: number;
  readonly lengthM: number;
  /** Distance [m] along the track where the first one begins. */
  readonly startM: number;
}

export function stagesOf({ alongM }: WorkingTrack, { first, last }: CruisePart): Stages {
  const startM = alongM[first] as number;
  const cruiseM = (alongM[last] as number) - startM;
  const count = Math.max(1, Math.floor(cruiseM / STAGE_M + 0.5));
  return { count, lengthM: cruiseM / count, startM };
}

/** Calls with each stage that a segment is in and its share there; what is before and after the cruise belongs to its ends. */
export function eachStage(
  { count, lengthM, startM }: Stages,
  fromM: number,
  toM: number,
  take: (stage: number, share: number) => void,
): void {
  const length = toM - fromM;
  const last = count - 1;
  const stageAt = (alongM: number) => Math.min(last, Math.max(0, Math.floor((alongM - startM) / lengthM)));
  if (!(length > 0)) {
    take(stageAt(fromM), 1);
    return;
  }
  const end = stageAt(toM);
  for (let stage = stageAt(fromM); stage <= end; stage++) {
    const begin = stage === 0 ? Number.NEGATIVE_INFINITY : startM + stage * lengthM;
    const finish = stage === last ? Number.POSITIVE_INFINITY : startM + (stage + 1) * lengthM;
    const share = (Math.min(toM, finish) - Math.max(fromM, begin)) / length;
    if (share > 0) take(stage, share);
  }
}

/** What the planner keeps of a row. */
export interface PlannedRow {
  readonly altitudeFt: Float64Array;
  readonly timeMs: Float64Array;
  /** Of each segment [kg]; 0 where it is unknown. */
  readonly fuelKg: Float64Array;
  /** Of each segment [J]; 0 where it is unknown. */
  readonly energyForcingJ: Float64Array;
  /** 1 on level segments where a limit is not kept or the weather is unknown. */
  readonly violated: Uint8Array;
  /** Fuel [kg] for beginning higher, and for ending lower, than the flight. */
  readonly startFuelKg: number;
  readonly endFuelKg: number;
}

/** Stage after stage, each with a number for every level; `open` is 1 where the level may be flown. */
export interface StageTables {
  readonly flightLevels: readonly number[];
  readonly stages: Stages;
  readonly fuelKg: Float64Array;
  readonly timeS: Float64Array;
  readonly paidJ: Float64Array;
  readonly netJ: Float64Array;
  readonly open: Uint8Array;
  /** Fuel of a foot of climb in each stage. */
  readonly climbKgPerFt: Float64Array;
}

/** Rules for closing cells. */
export interface StageRules {
  readonly prices: Prices;
  readonly boxes: readonly AvoidBox[];
  readonly parity: 'none' | 'east_west';
}

export function makeTables(
  track: WorkingTrack,
  cruise: CruisePart,
  levels: readonly { readonly flightLevel: number; readonly row: PlannedRow }[],
  climbKgPerFt: Float64Array,
  rules: StageRules,
): StageTables {
  const stages = stagesOf(track, cruise);
  const cells = stages.count * levels.length;
  const column = () => new Float64Array(cells);
  const tables = { fuelKg: column(), timeS: column(), paidJ: column(), netJ: column() };
  const open = new Uint8Array(cells).fill(1);
  levels.forEach(({ flightLevel, row }, l) => {
    const cell = (stage: number) => stage * levels.length + l;
    const add = (table: Float64Array, stage: number, value: number) => {
      table[cell(stage)] = (table[cell(stage)] as number) + value;
    };
    const violatedM = new Float64Array(stages.count);
    for (let i = 0; i + 1 < track.timeMs.length; i++) {
      const [fromM, toM] = [track.alongM[i] as number, track.alongM[i + 1] as number];
      const durationS = ((row.timeMs[i + 1] as number) - (row.timeMs[i] as number)) / 1000;
      const joules = row.energyForcingJ[i] as number;
      const isCruise = i >= cruise.first && i < cruise.last;
      const isBlocked =
        isCruise &&
        [i, i + 1].some((end) => isInBoxes(rules.boxes, track, end, flightLevel, row.timeMs[end] as number));
      eachStage(stages, fromM, toM, (stage, share) => {
        add(tables.fuelKg, stage, share * (row.fuelKg[i] as number));
        add(tables.timeS, stage, share * durationS);
        add(tables.paidJ, stage, share * paidForcing(joules, rules.prices.cooling));
        add(tables.netJ, stage, share * joules);
        if (isCruise && row.violated[i] === 1)
          violatedM[stage] = (violatedM[stage] as number) + share * (toM - fromM);
        if (isBlocked) open[cell(stage)] = 0;
      });
    }
    add(tables.fuelKg, 0, row.startFuelKg);
    add(tables.fuelKg, stages.count - 1, row.endFuelKg);
    for (let stage = 0; stage < stages.count; stage++) {
      const fits = rules.parity === 'none' || isSemicircular(flightLevel, trueTrackDeg(track, stages, stage));
      if (!fits || (violatedM[stage] as number) > 0.5 * stages.lengthM) open[cell(stage)] = 0;
    }
  });
  return {
    ...tables,
    ...{ flightLevels: levels.map(({ flightLevel }) => flightLevel), stages, open, climbKgPerFt },
  };
}

/** Masses at the beginning of each stage become fuel of a foot of climb [kg]. */
export function massAtStages({ alongM }: WorkingTrack, stages: Stages, massKg: Float64Array): Float64Array {
  return Float64Array.from({ length: stages.count }, (_, stage) => {
    const from = stages.startM + stage * stages.lengthM - PLACE_TOLERANCE_M;
    const index = alongM.findIndex((along) => along >= from);
    return massKg[index < 0 ? massKg.length - 1 : index] as number;
  });
}

/** True track [°, clockwise from north] of the segment at the middle of a stage. */
function trueTrackDeg({ alongM, sinA, cosA }: WorkingTrack, stages: Stages, stage: number): number {
  const middle = stages.startM + (stage + 0.5) * stages.lengthM;
  let i = alongM.findIndex((along) => along > middle) - 1;
  if (i < 0) i = alongM.length - 2;
  const degrees = (Math.atan2(cosA[i] as number, sinA[i] as number) * 180) / Math.PI;
  return degrees < 0 ? degrees + 360 : degrees;
}

/** Semicircular levels of reduced vertical separation. */
export function isSemicircular(flightLevel: number, trackDeg: number): boolean {
  const isEast = trackDeg >= 0 && trackDeg < 180;
  if (flightLevel > 410) return flightLevel === (isEast ? 450 : 430);
  if (flightLevel % 10 !== 0 || flightLevel < 270) return false;
  return (flightLevel / 10) % 2 === (isEast ? 1 : 0);
}

/** The shortest-path problem of tables, with a higher price of fuel, by a multiplier per kg. */
export function pathProblem(
  tables: StageTables,
  prices: Prices,
  rules: Pick<PathProblem, 'minStages' | 'maxChanges' | 'maxStepFt'>,
  multiplier: number,
): PathProblem {
  const { fuelKg, timeS, paidJ, open, climbKgPerFt, flightLevels } = tables;
  const perKg = prices.fuelPrice + (prices.carbonPrice * prices.eiCo2) / 1000;
  return {
    ...rules,
    flightLevels,
    stageCost: fuelKg.map((fuel, cell) =>
      open[cell] === 1
        ? costOf(prices, fuel, timeS[cell] as number, paidJ[cell] as number) + multiplier * fuel
        : Number.NaN,
    ),
    climbCostPerFt: climbKgPerFt.map((kg) => perKg * kg + multiplier * kg),
  };
}

/** Sums of tables along a path. */
export interface PathSums {
  readonly fuelKg: number;
  readonly timeS: number;
  readonly paidJ: number;
  readonly netJ: number;
}

export function sumAlong(tables: StageTables, levels: ArrayLike<number>): PathSums {
  const width = tables.flightLevels.length;
  let [fuelKg, timeS, paidJ, netJ] = [0, 0, 0, 0];
  for (let k = 0; k < tables.stages.count; k++) {
    const cell = k * width + (levels[k] as number);
    fuelKg += tables.fuelKg[cell] as number;
    timeS += tables.timeS[cell] as number;
    paidJ += tables.paidJ[cell] as number;
    netJ += tables.netJ[cell] as number;
    if (k === 0) continue;
    const step =
      (tables.flightLevels[levels[k] as number] as number) -
      (tables.flightLevels[levels[k - 1] as number] as number);
    fuelKg += (tables.climbKgPerFt[k] as number) * 100 * step;
  }
  return { fuelKg, timeS, paidJ, netJ };
}
