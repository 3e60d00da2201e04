/** The grid cases of the reference on a GPU that is a program. */
import { fileURLToPath } from 'node:url';
import { levelFromAltitudeFt } from '@contrails/physics/atmosphere';
import { ContrailGpu, cruiseTable, humidityFormula } from '@contrails/physics/gpu';
import { afterAll, describe, expect, test } from 'vitest';
import { type GridDeviations, gridDeviations, openDevice } from '../../../test/support/gpu.ts';
import type { MetField } from '../src/field/field.ts';
import type { RadiationField } from '../src/interpolate/radiation-sampler.ts';
import { WEATHER_VARIABLES } from '../src/interpolate/weather.ts';
import {
  type CocipGridCase,
  gridCases,
  gridFolder,
  type OpenGridCase,
  openGridCase,
} from './support/grid-case.ts';
import { readDatasets } from './support/hdf5.ts';

const folder = gridFolder();
const device = await openDevice();
const why =
  folder === undefined ? '../shared/reference is missing' : typeof device === 'string' ? device : '';
const cases = folder === undefined ? [] : gridCases(folder);
const gpu =
  typeof device === 'string' ? undefined : new ContrailGpu(device, 2 ** 28, () => performance.now());
afterAll(() => {
  if (typeof device !== 'string') device.destroy();
});

interface Planes {
  readonly efPerM: readonly [Float32Array];
  readonly ageHours: readonly [Float32Array];
}

/** All cells of a case, numbered longitude, latitude, level. */
async function computed(
  file: CocipGridCase,
  opened: OpenGridCase,
  weatherName: string,
  by = gpu,
): Promise<Planes & { readonly parts: number }> {
  const { levels, count, field, radiation, levelRange, aircraft, segment, params } = opened;
  const { name = 'none', rhi_adj: rhiAdj } = file.humidity_scaling ?? {};
  const scaling = humidityFormula(name, { ...(rhiAdj !== undefined && { rhiAdj }) });
  if (scaling === undefined) throw new Error(`${file.name} does not run on a GPU`);
  const [efPerM, ageHours] = [new Float32Array(count), new Float32Array(count)];
  const parts = await by?.compute({
    longitude: Float64Array.from(file.lon),
    latitude: Float64Array.from(file.lat),
    timeMs: Date.parse(`${file.time}:00Z`),
    aircraft: cruiseTable(
      aircraft,
      levels.map((level) => levelFromAltitudeFt(100 * level)),
    ),
    weather: { name: weatherName, levels: ofContrails(field), radiation, levelRange },
    scaling,
    segment,
    params,
  });
  for (const found of parts ?? []) {
    found.cell.forEach((at, k) => {
      efPerM[at] = found.efPerM[k] as number;
      ageHours[at] = (found.ageS[k] as number) / 3600;
    });
  }
  return { efPerM: [efPerM], ageHours: [ageHours], parts: parts?.length ?? 0 };
}

function expectAgreement({ contrails, total, median, onOneSide, otherIndex }: GridDeviations): void {
  expect(contrails).toBeGreaterThan(300);
  expect(total).toBeLessThanOrEqual(1e-3);
  expect(median).toBeLessThanOrEqual(1e-4);
  expect(onOneSide).toBeLessThanOrEqual(1e-3);
  expect(otherIndex).toBeLessThanOrEqual(1e-3);
}

describe.skipIf(why !== '')(why === '' ? 'contrails of grid cells on a GPU' : `skipped: ${why}`, () => {
  test.each(cases)(
    '$name',
    async (file) => {
      const opened = await openGridCase(folder as URL, file);
      const { efPerM, ageHours } = await computed(file, opened, file.name);
      const expected = await readDatasets(fileURLToPath(new URL(`${file.name}.out.nc`, folder)), [
        'ef_per_m',
        'contrail_age',
        'flight_level',
      ]);
      const { length } = opened.levels;
      const order = Array.from(expected.flight_level as Float64Array, (level) =>
        opened.levels.indexOf(level),
      );
      const inOrder = ([values]: readonly [Float32Array]) => [
        values.map((_, i) => values[i - (i % length) + (order[i % length] as number)] as number),
      ];
      const reference = {
        efPerM: [expected.ef_per_m as Float64Array],
        ageHours: [expected.contrail_age as Float64Array],
      };
      expectAgreement(gridDeviations(reference, { efPerM: inOrder(efPerM), ageHours: inOrder(ageHours) }));
      // A program compiles the shaders for a processor, which takes it longer than the grid.
    },
    600_000,
  );

  test('are the same where a device has room for few contrails', async () => {
    if (typeof device === 'string') throw new Error(device);
    const file = cases.find(({ name }) => name === 'cocip-polar') as CocipGridCase;
    const opened = await openGridCase(folder as URL, file);
    const small = new ContrailGpu(device, 2 ** 28, () => performance.now(), 300);
    const inParts = await computed(file, opened, file.name, small);
    const atOnce = await computed(file, opened, file.name);
    expect([inParts.parts > 2, atOnce.parts]).toEqual([true, 1]);
    expect(inParts.efPerM).toEqual(atOnce.efPerM);
    expect(inParts.ageHours).toEqual(atOnce.ageHours);
  }, 600_000);

  test.each([30, 135, 270])(
    'are those of the CPU with segments along %i° near a pole',
    async (azimuth) => {
      const named = (wanted: string) => cases.find(({ name }) => name === wanted) as CocipGridCase;
      const polar = named('cocip-polar');
      // With the humidity of another case, whose shaders are compiled.
      const { humidity_scaling } = named('cocip-segment');
      const params = { ...polar.params, azimuth, segment_length: 1000 };
      const file = { ...polar, humidity_scaling, params };
      const opened = await openGridCase(folder as URL, file);
      const { contrails } = opened.run();
      const cpu = { efPerM: [contrails.efPerM], ageHours: [contrails.ageS.map((age) => age / 3600)] };
      expectAgreement(gridDeviations(cpu, await computed(file, opened, file.name)));
    },
    600_000,
  );

  test('tells two fields of radiation apart that share a time', async () => {
    const file = cases.find(({ name }) => name === 'cocip-polar') as CocipGridCase;
    const opened = await openGridCase(folder as URL, file, inTwoFields);
    const { contrails } = opened.run();
    const cpu = { efPerM: [contrails.efPerM], ageHours: [contrails.ageS.map((age) => age / 3600)] };
    expectAgreement(gridDeviations(cpu, await computed(file, opened, 'in two fields')));
  }, 600_000);
});

/** A field with the variables of contrails alone. */
function ofContrails(field: MetField): MetField {
  const all = field.variables.length;
  const wanted = WEATHER_VARIABLES.length;
  const slabs = field.slabs.map((slab) => {
    const points = slab.length / all;
    return Float32Array.from(
      { length: wanted * points },
      (_, i) => slab[Math.floor(i / wanted) * all + (i % wanted)] as number,
    );
  });
  return { ...field, variables: WEATHER_VARIABLES, slabs };
}

/** Radiation that ends after some hours, and half of it that goes on from the same time. */
function inTwoFields({ field, ...radiation }: RadiationField): RadiationField {
  const shared = 4;
  const some = (first: number, end: number, share: number) => ({
    ...radiation,
    field: {
      ...field,
      time: { ...field.time, knots: field.time.knots.slice(first, end) },
      slabs: field.slabs.slice(first, end).map((slab) => slab.map((flux) => share * flux)),
    } as RadiationField['field'],
  });
  return { ...some(0, shared + 1, 1), later: some(shared, field.time.knots.length, 0.5) };
}
