import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeNetcdf } from '../../../formats/src/index.ts';
import { NetcdfError, openNetcdf } from '../../src/grid/read-netcdf.ts';

async function gridFile(values: Float32Array, columns: number, rows: number): Promise<ArrayBuffer> {
  const chunks = await encodeNetcdf({
    dimensions: { longitude: columns, latitude: rows, flight_level: 1, time: 1 },
    variables: [
      {
        name: 'longitude',
        dimensions: ['longitude'],
        data: Float32Array.from({ length: columns }, (_, k) => k),
      },
      { name: 'latitude', dimensions: ['latitude'], data: Float32Array.from({ length: rows }, (_, k) => k) },
      { name: 'flight_level', dimensions: ['flight_level'], data: Int32Array.of(350) },
      { name: 'time', dimensions: ['time'], data: BigInt64Array.of(0n) },
      {
        name: 'contrails',
        dimensions: ['longitude', 'latitude', 'flight_level', 'time'],
        type: 'float32',
        data: values,
        chunks: [columns, rows, 1, 1],
        fillValue: Number.NaN,
        attributes: { units: '1' },
      },
    ],
    attributes: { aircraft_class: 'default', met_source_synthetic: 'true' },
  });
  return (await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer()) as ArrayBuffer;
}

test('reads every value that the service writes, to the bit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 9 }),
      fc.infiniteStream(fc.float()),
      async (columns, rows, stream) => {
        const values = Float32Array.from({ length: columns * rows }, () => stream.next().value as number);
        const file = openNetcdf(await gridFile(values, columns, rows));
        const variable = file.variables.get('contrails');
        expect(variable?.shape).toEqual([columns, rows, 1, 1]);
        expect(variable?.read()).toEqual(values);
      },
    ),
    { numRuns: 40 },
  );
});

test('reads coordinates and text attributes', async () => {
  const file = openNetcdf(await gridFile(new Float32Array(6), 3, 2));
  expect([...file.variables.keys()]).toEqual(['longitude', 'latitude', 'flight_level', 'time', 'contrails']);
  expect(file.variables.get('longitude')?.read()).toEqual(Float32Array.of(0, 1, 2));
  expect(file.attributes).toMatchObject({ aircraft_class: 'default', met_source_synthetic: 'true' });
});

test('refuses what is not netCDF-4', () => {
  expect(() => openNetcdf(new TextEncoder().encode('{"detail":"no"}').buffer as ArrayBuffer)).toThrow(
    NetcdfError,
  );
});

test('a file that was cut off or damaged fails with its own error, never with wrong lengths', async () => {
  const whole = await gridFile(
    Float32Array.from({ length: 40 }, (_, k) => k),
    8,
    5,
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: whole.byteLength - 1 }), async (length) => {
      try {
        const file = openNetcdf(whole.slice(0, length));
        const values = file.variables.get('contrails')?.read();
        if (values !== undefined) expect(values.length).toBe(40);
      } catch (error) {
        expect(error instanceof NetcdfError || error instanceof RangeError).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test('a byte that changed on the way gives the same values or an error, never other values', async () => {
  const given = Float32Array.from({ length: 40 }, (_, k) => Math.fround(k / 7));
  const whole = await gridFile(given, 8, 5);
  const start = new Uint8Array(whole).findIndex(
    (byte, k, bytes) => byte === 0x78 && ((byte << 8) | (bytes[k + 1] ?? 0)) % 31 === 0,
  );
  expect(start).toBeGreaterThan(0);
  const messages = new Set<string>();
  for (let at = start; at < whole.byteLength; at++) {
    const damaged = whole.slice(0);
    const bytes = new Uint8Array(damaged);
    bytes[at] = (bytes[at] as number) ^ 0x10;
    try {
      expect(openNetcdf(damaged).variables.get('contrails')?.read()).toEqual(given);
    } catch (error) {
      if (!(error instanceof NetcdfError || error instanceof RangeError)) throw error;
      messages.add(error.message);
    }
  }
  expect(messages).toContain('the values are damaged');
});
