import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { readTools } from '../../../../../test/support/tools.ts';
import { fleetBody, flightBody, startTrial } from './support.ts';

const WET = { waypoints: 40, latitude: 40, longitude: -180, stepS: 120, eastward: 0.45, cruiseFt: 33_000 };
const PROGRAM = join(import.meta.dirname, 'programs/tables.py');
const { python } = readTools();

test.skipIf(python === null)('pandas and xarray read the tables, which say the same as JSON', async () => {
  const trial = await startTrial();
  const folder = await temporaryDirectory();
  const body = {
    ...fleetBody([WET, { ...WET, cruiseFt: 34_000 }].map(flightBody)),
    parameters: { dz_m: 210 },
  };
  const save = async (name: string, path: string, accept: string) => {
    const answer = await trial.post(path, body, { accept });
    expect(answer.status).toBe(200);
    writeFileSync(join(folder, name), answer.bytes);
  };
  await save('answer.json', 'cocip?include=contrail,radiation,met', 'application/json');
  await save('waypoints.parquet', 'cocip?include=radiation,met', 'application/vnd.apache.parquet');
  await save('contrail.parquet', 'cocip?table=contrail', 'application/vnd.apache.parquet');
  await save('answer.nc', 'cocip?include=contrail,radiation,met', 'application/netcdf');
  const said = execFileSync(python ?? '', [PROGRAM, folder], { encoding: 'utf8' });
  expect(said.trim()).toBe('same');
});
