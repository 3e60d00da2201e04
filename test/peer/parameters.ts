/**
 * Every parameter of the models moved alone and together with others, over random flights, through our model and through
 * pycontrails. Fails when a flag, an age or a row differs, or a number by more than 1e-5.
 *
 * PEER_FLIGHTS is the number of flights, 574 unless given. PEER_SETS="vpm_activation,5 together" compares only these sets, with the
 * flights that they have among all.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTools } from '../support/tools.ts';
import { compareParameters } from './parameters/compare.ts';
import { parameterSets } from './parameters/sets.ts';

const FLIGHTS = 574;
const SEED = 18;
const RESOLUTION_DEG = 5;
/** Share of the flights that the peer may fail to evaluate. */
const MAX_STOPPED = 0.05;

const { python, missing } = readTools();
if (python === null)
  throw new Error(`pycontrails cannot be run: ${missing.python ?? 'Python is not set up'}`);

const sets = parameterSets(SEED);
const flightsPerSet = Math.ceil(Number(process.env.PEER_FLIGHTS ?? FLIGHTS) / sets.length);
const folder = mkdtempSync(join(tmpdir(), 'contrails parameters '));
try {
  const only = process.env.PEER_SETS?.split(',');
  const size = {
    ...{ flightsPerSet, sets, resolutionDeg: RESOLUTION_DEG, seed: SEED },
    ...(only === undefined ? {} : { only }),
  };
  const { version, flights, waypoints, rows, withContrails, worst, faults, stopped, seconds } =
    await compareParameters(folder, python, size);
  console.log(
    `pycontrails ${version}: ${flights} flights (${waypoints} waypoints, ${withContrails} with contrails, ${rows} rows of them), ${only?.length ?? sets.length} parameter sets`,
  );
  for (const [what, { relative, where }] of worst)
    console.log(`  ${what.padEnd(32)} ${relative.toExponential(1)}  ${where}`);
  for (const [set, { ours, peer }] of seconds)
    console.log(
      `  ${set.padEnd(40)} ${(1000 * ours).toFixed(0).padStart(6)} ms, peer ${(peer / ours).toFixed(0)} times as long`,
    );
  for (const reason of stopped) console.log(`  not compared: ${reason}`);
  const isThin = stopped.length > MAX_STOPPED * flights;
  if (isThin) console.error(`${stopped.length} of ${flights} flights stopped the peer`);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 || isThin ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
