/** Each stage of the plume step on a GPU, in single precision, against the same stage of the CPU. */
import { describe, expect, test } from 'vitest';
import { openDevice } from '../../../../test/support/gpu.ts';
import { StageWriter } from '../../src/cocip/gpu/stages.ts';
import { DEFAULT_COCIP_PARAMS } from '../../src/cocip/params.ts';
import { makePlumes, type TableColumn } from '../../src/cocip/plumes.ts';
import {
  PLUME_STAGES,
  runStage,
  setOptions,
  setRadiationPair,
  setTime,
} from '../../src/cocip/vector/index.ts';
import { PARAMETER_COUNT, parametersInto } from '../../src/cocip/vector/parameters.ts';
import { scoped } from '../../src/vector/wasm/memory.ts';
import { fillPlumes, ROWS, TO_MS } from '../support/plume-rows.ts';
import { runRows } from './support.ts';

const device = await openDevice();

const STAGES = [
  'move',
  'disperse',
  'describeAir',
  'mixIce',
  'shine',
  'describeSurroundings',
  'describePlumes',
  'force',
  'shearAcrossChain',
  'addEnergy',
] as const;

/** Relative deviations that half of the rows and 99 % of them stay below; differences of nearly equal numbers have larger ones. */
const TOLERANCES: Readonly<Record<string, readonly [number, number]>> = {
  thetaGradient: [2e-6, 2e-4],
  rfLw: [5e-7, 5e-4],
  rfNet: [5e-7, 2e-4],
  rfSw: [5e-7, 1e-5],
  aggregation: [2e-6, 1e-5],
  opticalDepth: [1e-6, 5e-6],
};

/** Relative deviations of all rows, smallest first. What is unknown on the CPU is left out. */
async function deviations(stage: (typeof STAGES)[number]): Promise<Record<string, number[]>> {
  if (typeof device === 'string') throw new Error(device);
  setOptions(DEFAULT_COCIP_PARAMS);
  setTime(TO_MS);
  setRadiationPair('net');
  const originMs = TO_MS - 86_400_000;
  const writer = new StageWriter();
  const statements = writer.write(stage, PLUME_STAGES[stage]);
  const columns = [...writer.columns] as TableColumn[];
  const parameters = new Float32Array(PARAMETER_COUNT);
  parametersInto(parameters, 0, originMs);
  const { before, after } = scoped(() => {
    const { columns: table } = makePlumes(ROWS);
    fillPlumes(table);
    // What the GPU starts from has single precision.
    for (const [name, column] of Object.entries(table))
      if (!name.endsWith('Ms')) for (let i = 0; i < ROWS; i++) column[i] = Math.fround(column[i] as number);
    const copy = () =>
      Object.fromEntries(columns.map((name) => [name, Float64Array.from(table[name].subarray(0, ROWS))]));
    const start = copy();
    runStage(stage, table, ROWS);
    return { before: start, after: copy() };
  });
  const given = Object.fromEntries(
    Object.entries(before).map(([name, column]) => [
      name,
      name.endsWith('Ms') ? column.map((ms) => ms - originMs) : column,
    ]),
  );
  const found = await runRows(
    device,
    { statements, columns, parameters, records: writer.recordNumbers() },
    given,
    ROWS,
  );
  return Object.fromEntries(
    columns
      .filter((name) => !name.endsWith('Ms'))
      .map((name: TableColumn) => [
        name,
        Array.from(after[name] as Float64Array, (value, i) => {
          const other = found[name]?.[i] as number;
          if (Number.isNaN(value)) return 0;
          return Math.abs(other - value) / Math.max(Math.abs(value), 1e-30);
        }).sort((a, b) => a - b),
      ]),
  );
}

describe.skipIf(typeof device === 'string')(
  typeof device === 'string' ? `skipped: ${device}` : 'a stage in single precision',
  () => {
    test.each(STAGES)('%s', async (stage) => {
      const found = await deviations(stage);
      const worse = Object.entries(found).filter(([name, all]) => {
        const [usual, rare] = TOLERANCES[name] ?? [5e-7, 5e-6];
        return !(
          (all[Math.floor(all.length / 2)] as number) <= usual &&
          (all[Math.floor(all.length * 0.99)] as number) <= rare
        );
      });
      expect(
        worse.map(([name, all]) => [
          name,
          all[Math.floor(all.length / 2)],
          all[Math.floor(all.length * 0.99)],
        ]),
      ).toEqual([]);
    });
  },
);
