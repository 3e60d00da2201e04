/** Contrails of grid cells on a GPU: threads of the CPU form them, batch after batch, while the device follows those before. */
import { humidityFormula, isRegular, joinYoung, runsOnGpu } from '@contrails/physics/gpu';
import type { TaskOptions } from '@contrails/runtime/compute';
import { type Compute, kernelAt } from '../compute.ts';
import type { OpenGpu } from '../gpu/grid-gpu.ts';
import { gridParamsOf, segmentOf } from './cocip-model.ts';
import { CellTally, type TileInput, type TileReport } from './tile-cells.ts';
import type { YoungTile } from './young.kernel.ts';

const youngKernel = kernelAt<typeof import('./young.kernel.ts').default>(
  new URL('./young.kernel.ts', import.meta.url),
);

/** Tiles that a device follows together: about four million cells, of which one in ten has a contrail. */
const TILES_PER_BATCH = 1024;

/** Why a grid cannot be followed on a GPU; undefined where it can. */
export function whyNotOnGpu({
  levels,
  radiation,
  levelRange,
  scaling,
  custom,
}: TileInput): string | undefined {
  if (segmentOf(custom).kind !== 'free') return 'segments with a direction';
  if (humidityFormula(scaling.name, scaling.options) === undefined) return `humidity_scaling ${scaling.name}`;
  if (!runsOnGpu(gridParamsOf(custom))) return 'options of the model';
  return isRegular({ name: '', levels, radiation, levelRange })
    ? undefined
    : 'weather on meridians or parallels that are not evenly spaced';
}

/** Fills the planes of the input. `weatherName` tells its weather from any other. */
export async function followOnGpu(
  compute: Pick<Compute, 'parallel'>,
  { contrails: device }: OpenGpu,
  input: TileInput,
  weatherName: string,
  { signal, onProgress, onComputeMs }: Pick<TaskOptions, 'signal' | 'onProgress' | 'onComputeMs'>,
): Promise<TileReport> {
  const { levels, radiation, levelRange, scaling, custom, timeMs, tiles } = input;
  const { efPerM: _ef, ageHours: _age, index: _index, ...withoutPlanes } = input;
  const segment = segmentOf(custom);
  const formula = humidityFormula(scaling.name, scaling.options);
  if (segment.kind !== 'free' || formula === undefined)
    throw new RangeError('this grid does not run on a GPU');
  const params = gridParamsOf(custom);
  const weather = { name: weatherName, levels, radiation, levelRange };
  const tally = new CellTally(input);
  const cellsOutside = input.flightLevels.map(() => 0);
  let plumeSteps = 0;
  let done = 0;
  const form = (first: number): Promise<YoungTile[]> => {
    const batch = tiles.slice(first, first + TILES_PER_BATCH);
    return compute.parallel(
      youngKernel,
      { ...withoutPlanes, tiles: batch, normalShearShare: segment.normalShearShare },
      batch.length,
      { ...(signal && { signal }), ...(onComputeMs && { onComputeMs }) },
    );
  };
  const settle = async (formed: readonly YoungTile[]) => {
    for (const tile of formed)
      tile.cellsOutside.forEach((count, level) => {
        cellsOutside[level] = (cellsOutside[level] as number) + count;
      });
    const young = joinYoung(formed);
    if (young.count > 0) {
      const followed = await device.follow(young, timeMs, weather, formula, segment.normalShearShare, params);
      let k = 0;
      for (const { level, at } of formed) {
        for (let i = 0; i < at.length; i++, k++) {
          const ageS = followed.ageS[k] as number;
          tally.add(
            level[i] as number,
            at[i] as number,
            followed.efPerM[k] as number,
            ageS,
            followed.unforcedS[k] as number,
          );
          // Quotients in single precision are a little more or less than whole.
          plumeSteps += Math.ceil(ageS / params.dtIntegrationS - 0.01);
        }
      }
    }
    signal?.throwIfAborted();
    done += formed.length;
    onProgress?.(done / tiles.length);
  };
  let forming = form(0);
  for (let first = 0; first < tiles.length; first += TILES_PER_BATCH) {
    const formed = await forming;
    const next = first + TILES_PER_BATCH;
    if (next < tiles.length) forming = form(next);
    // What fails here is thrown here; the batch that is being formed must not be left without a listener.
    forming.catch(() => {});
    await settle(formed);
  }
  const { contrails, cellsWithoutForcing, mostlyWithoutForcing } = tally;
  return { contrails, plumeSteps, cellsOutside, cellsWithoutForcing, mostlyWithoutForcing };
}
