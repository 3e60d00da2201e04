/**
 * Damages flight files of every format at random and reads them. Every file ends in flights that are whole and in range, or in
 * one coded sentence, and every point is in a flight or counted. Ends with 1 when something else happens.
 *
 *     node test/fuzz/flight-files.ts --files 2000 --seed 1
 */
import { parseArgs } from 'node:util';
import { casesByFormat, faultsOf } from '../../packages/flights/test/files/mutations.ts';

const { values } = parseArgs({
  options: { files: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
});
let count = 0;
for (const [format, cases] of casesByFormat()) {
  const start = performance.now();
  const faults: string[] = [];
  for (let k = 0; k < Number(values.files); k++) {
    const one = cases[k % cases.length];
    if (one !== undefined) faults.push(...(await faultsOf(one, Number(values.seed) + k)));
  }
  for (const fault of faults) console.error(fault);
  console.log(
    `${format}: ${values.files} files, ${faults.length} faults, ${Math.round(performance.now() - start)} ms`,
  );
  count += faults.length;
}
process.exitCode = count > 0 ? 1 : 0;
