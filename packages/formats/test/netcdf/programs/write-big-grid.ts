/** Writes a global grid of 18 levels to the file named by the argument, plane by plane; prints the most memory it took. */
import { open } from 'node:fs/promises';
import { peakMemoryBytes } from '../../../../../test/support/peak-memory.ts';
import { encodeNetcdf } from '../../../src/netcdf/write.ts';
import { gridFile } from '../../support/grid-file.ts';

const LEVELS = Array.from({ length: 18 }, (_, k) => 270 + 10 * k);
const CELLS = 1440 * 721;

/** 1 and 0 in patches, different on every level; cell 0 is missing. */
function plane(level: number): Float32Array {
  const values = new Float32Array(CELLS);
  for (let k = 1; k < CELLS; k++) values[k] = (k + 977 * level) % 5000 < 700 ? 1 : 0;
  values[0] = Number.NaN;
  return values;
}

const before = process.memoryUsage.rss();
const file = await open(process.argv[2] as string, 'w');
for (const part of await encodeNetcdf(gridFile(1440, 721, LEVELS, plane))) await file.write(part);
await file.close();
console.log(JSON.stringify({ peakMegabytes: (peakMemoryBytes() - before) / 2 ** 20 }));
