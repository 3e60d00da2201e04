import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveAircraft } from '@contrails/engine/inventory/aircraft';
import { UsageError } from '@contrails/runtime/errors';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../../test/support/temporary.ts';
import { airframesHash, importAirframes, loadAirframes } from '../../../src/inventory-store/airframes.ts';
import { openDatabase } from '../../../src/migrations.ts';

const database = await openDatabase({ database: 'embedded', directory: await temporaryDirectory() });
afterAll(() => database.close());

async function fileOf(text: string): Promise<string> {
  const path = join(await temporaryDirectory(), 'fleet.csv');
  await writeFile(path, text);
  return path;
}

const flight = { icaoAddress: '4B1800', tailNumber: 'HB-JHA', aircraftType: null };

test('a table gives type, engine and role by address, then by registration', async () => {
  const path = await fileOf(
    'icao_address,tail_number,aircraft_type,engine_uid,role\n4b1800,,A333,,\n,HB-JHA,A20N,01P18PW153,Cargo\n',
  );
  expect(await importAirframes(database, path, 0)).toEqual({
    airframes: 2,
    refused: {},
    examples: [],
    unsupportedTypes: [],
  });
  expect(resolveAircraft(flight, await loadAirframes(database))).toEqual({
    aircraftType: 'A333',
    isTypeFromTable: true,
    engineUid: '01P18PW153',
    engineSource: 'airframe',
    role: 'Cargo',
  });
  expect(resolveAircraft({ ...flight, aircraftType: 'B738' }, await loadAirframes(database))).toMatchObject({
    aircraftType: 'B738',
    isTypeFromTable: false,
  });
});

test('rows that cannot be used are left out and named', async () => {
  const path = await fileOf(
    'icao_address,aircraft_type,engine_uid\n4B1801,A320,\nxyz,A320,\n4B1802,,\n4B1803,C172,\n4B1804,A320,NOPE\n',
  );
  const before = await airframesHash(database);
  const imported = await importAirframes(database, path, 0);
  expect(imported).toMatchObject({
    airframes: 2,
    refused: { bad_address: 1, empty: 1, unknown_engine: 1 },
    unsupportedTypes: ['C172'],
  });
  expect(imported.examples[0]).toBe('row 2: icao_address XYZ is not six hexadecimal digits');
  expect(await airframesHash(database)).not.toBe(before);
});

test('a table with wrong columns is refused with the columns that it needs, and the one before stays', async () => {
  const before = await airframesHash(database);
  const path = await fileOf('registration,model\nHB-JHA,A333\n');
  const imported = importAirframes(database, path, 0);
  await expect(imported).rejects.toThrow(UsageError);
  await expect(imported).rejects.toThrow(
    /has the columns registration, model; it needs icao_address or tail_number/,
  );
  expect(await airframesHash(database)).toBe(before);
});
