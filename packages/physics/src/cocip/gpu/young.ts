/** Contrails of grid cells as they form, packed for a GPU to follow. */
import { scoped } from '../../vector/wasm/memory.ts';
import type { ContrailSources } from '../contrail-sources.ts';
import { completeFormation, formContrails } from '../formation.ts';
import { freeSegments } from '../grid.ts';
import type { CocipParams } from '../params.ts';
import type { PlumeTable } from '../plumes.ts';
import type { ScaleHumidity, Weather } from '../weather.ts';
import { FLAGS, STATE_COLUMNS, STATE_NUMBERS } from './shader.ts';

/** Contrails at their formation. */
export interface YoungContrails {
  readonly count: number;
  /** What a GPU stores of them, column by column. */
  readonly state: Float32Array;
}

/** The young contrails of cells, and which row of the sources each belongs to. */
export function youngContrails(
  sources: ContrailSources,
  weather: Weather,
  scaleHumidity: ScaleHumidity,
  normalShearShare: number,
  params: CocipParams,
): YoungContrails & { readonly rows: Uint32Array } {
  return scoped(() => {
    const { plumes } = formContrails(sources, weather, scaleHumidity, params);
    const { columns, count } = plumes;
    completeFormation(plumes, weather, freeSegments(normalShearShare), params);
    return {
      count,
      state: packed(columns, count),
      rows: Uint32Array.from(columns.waypoint.subarray(0, count)),
    };
  });
}

/** The contrails of several lists, one list behind the other. */
export function joinYoung(parts: readonly YoungContrails[]): YoungContrails {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const state = new Float32Array(STATE_NUMBERS * count);
  let at = 0;
  for (const part of parts) {
    for (let k = 0; k < STATE_NUMBERS; k++)
      state.set(part.state.subarray(k * part.count, (k + 1) * part.count), k * count + at);
    at += part.count;
  }
  return { count, state };
}

/** What is not a number is said by flags: shaders may assume that all numbers are. */
function packed(columns: PlumeTable, count: number): Float32Array {
  const state = new Float32Array(STATE_NUMBERS * count);
  STATE_COLUMNS.forEach((name, k) => {
    state.set(columns[name].subarray(0, count), k * count);
  });
  const { u, v, omega, normalShear, diffusivityV, rfNet } = columns;
  const flags = (STATE_NUMBERS - 1) * count;
  for (let i = 0; i < count; i++) {
    const isAdrift = Number.isNaN((u[i] as number) + (v[i] as number) + (omega[i] as number));
    const isLost = Number.isNaN((normalShear[i] as number) + (diffusivityV[i] as number));
    state[flags + i] =
      (isAdrift ? FLAGS.adrift : 0) |
      (isLost ? FLAGS.lost : 0) |
      (Number.isNaN(rfNet[i]) ? FLAGS.unforced : 0);
  }
  return state;
}
