/** The figures of a row: its outcome with fuel, forcing and cost summed up. */
import {
  costWith,
  type PlannedRow,
  type Prices,
  paidForcing,
  type RowStatus,
  type RowTotals,
  statusOf,
} from '@contrails/physics/planning';
import { qFuelOf } from '../flights/aircraft.ts';
import type { FlightToPlan } from './flight-to-plan.ts';
import type { RowOutcome } from './rows.ts';

/** What a row changes about the flight. */
export interface RowTarget {
  readonly kind: 'baseline' | 'level' | 'shift' | 'profile';
  readonly flightLevel: number | null;
  readonly shiftFt: number | null;
}

export interface Row extends RowTarget {
  readonly status: RowStatus;
  readonly outcome: RowOutcome;
  /** With the fuel of beginning and ending at another height; NaN where the row cannot be flown. */
  readonly totals: RowTotals & { readonly energyFuelKg: number };
  readonly netJ: number;
  readonly warmingJ: number;
  readonly coolingJ: number;
  readonly cost: number;
  readonly planned: PlannedRow;
}

export interface RowMaker {
  readonly takeoffMassKg: number;
  /** Fuel [kg] that a foot of height is worth to an aircraft of this mass. */
  perFtKg(massKg: number): number;
  row(target: RowTarget, outcome: RowOutcome): Row;
}

const GRAVITY_FT = 0.3048 * 9.80665;

/** Rows from their outcomes, all with the fuel of potential energy of the same baseline. */
export function makeRows(
  { track, cruise, about, planning }: FlightToPlan,
  prices: Prices,
  baseline: RowOutcome,
): RowMaker {
  const takeoffMassKg = about.takeoffMassKg ?? (baseline.massKg[0] as number);
  const efficiencies = baseline.engineEfficiency.subarray(cruise.first, cruise.last).filter(Number.isFinite);
  const efficiency = efficiencies.reduce((sum, value) => sum + value, 0) / efficiencies.length;
  const perFtKg = (massKg: number) => (massKg * GRAVITY_FT) / (efficiency * qFuelOf(about));
  const last = track.timeMs.length - 1;
  const row = (target: RowTarget, outcome: RowOutcome): Row => {
    const { altitudeFt, timeMs } = outcome;
    const climbed = (altitudeFt[0] as number) - (track.altitudeFt[0] as number);
    const sunk = (track.altitudeFt[last] as number) - (altitudeFt[last] as number);
    const startFuelKg = climbed === 0 ? 0 : climbed * perFtKg(takeoffMassKg);
    const endFuelKg = sunk === 0 ? 0 : sunk * perFtKg(baseline.massKg[last] as number);
    const times = timeMs ?? track.timeMs;
    const fuelKg = outcome.fuelFlowKgS.map((flow, i) => {
      const seconds = i < last ? ((times[i + 1] as number) - (times[i] as number)) / 1000 : 0;
      return zeroForNaN(flow * seconds);
    });
    const energyForcingJ = outcome.energyForcingJ.map(zeroForNaN);
    const isFlown = timeMs !== null;
    const sum = (of: (joules: number) => number) =>
      outcome.hasContrails ? energyForcingJ.reduce((total, joules) => total + of(joules), 0) : Number.NaN;
    const totals = {
      fuelKg: isFlown ? fuelKg.reduce((total, kg) => total + kg, 0) + startFuelKg + endFuelKg : Number.NaN,
      timeS: isFlown ? ((times[last] as number) - (times[0] as number)) / 1000 : Number.NaN,
      paidJ: sum((joules) => paidForcing(joules, planning.prices.cooling)),
      energyFuelKg: startFuelKg + endFuelKg,
    };
    return {
      ...{ kind: target.kind, flightLevel: target.flightLevel, shiftFt: target.shiftFt, outcome, totals },
      status: isFlown ? statusOf(outcome.limits) : 'infeasible',
      netJ: sum((joules) => joules),
      warmingJ: sum((joules) => Math.max(joules, 0)),
      coolingJ: sum((joules) => Math.min(joules, 0)),
      cost: costWith(prices, totals),
      planned: {
        ...{ altitudeFt, timeMs: times, fuelKg, energyForcingJ, violated: outcome.violated },
        ...{ startFuelKg, endFuelKg },
      },
    };
  };
  return { takeoffMassKg, perFtKg, row };
}

export const zeroForNaN = (value: number): number => (Number.isNaN(value) ? 0 : value);
