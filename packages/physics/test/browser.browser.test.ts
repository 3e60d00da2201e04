import { fileURLToPath } from 'node:url';
/** The package bundled as a page would carry it, its answers in Chromium compared with the reference. */
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchBrowser } from '../../../test/support/browser.ts';
import { GoldenCsv, printWorstDeviations } from './support/golden.ts';
import * as physics from './support/physics.ts';
import { contrailsInUniformAir } from './support/uniform-flight.ts';

const missing = chromiumPath === null;
const entry = fileURLToPath(new URL('./support/physics.ts', import.meta.url));

/** File, function, columns of its arguments, column of the answer. */
const formulas: [file: string, name: string, inputs: string[], output: string][] = [
  ['isa_from_pressure.csv', 'altitudeMFromLevel', ['pressure_hpa'], 'altitude_m'],
  ['saturation_pressure.csv', 'saturationPressureLiquid', ['temperature_k'], 'e_liquid_pa'],
  ['sphere_segments.csv', 'haversineM', ['lon0_deg', 'lat0_deg', 'lon1_deg', 'lat1_deg'], 'haversine_m'],
  ['humidity.csv', 'relativeHumidityIce', ['specific_humidity', 'temperature_k', 'pressure_pa'], 'rh_ice'],
  [
    'schmidt_appleman.csv',
    'mixingLineSlope',
    ['specific_humidity', 'pressure_pa', 'engine_efficiency', 'ei_h2o_kg_kg', 'q_fuel_j_kg'],
    'mixing_line_slope_pa_k',
  ],
  [
    'potential_contrail_cover.csv',
    'potentialContrailCover',
    ['specific_humidity', 'temperature_k', 'pressure_pa', 'cloud_ice_kg_kg', 'surface_pressure_pa'],
    'pcc_smith1990',
  ],
  ['efficiency_ratio.csv', 'efficiencyRatio', ['thrust_coefficient_ratio', 'mach'], 'efficiency_ratio'],
  [
    'nvpm_hydrogen_correction.csv',
    'hydrogenMassFactor',
    ['hydrogen_content_percent', 'thrust_setting'],
    'mass_factor',
  ],
];

/** What the bundle puts on the page. */
interface PhysicsPage {
  readonly physics: Readonly<Record<string, (...values: number[]) => number>> & {
    histogramMatching(): { scaleInto(...columns: Float64Array[]): void };
  };
}

describe.skipIf(missing)(
  missing ? 'skipped: there is no Chromium on this machine' : 'physics in Chromium',
  () => {
    let browser: Browser;
    let page: Page;
    const pageErrors: Error[] = [];
    printWorstDeviations();

    beforeAll(async () => {
      browser = await launchBrowser();
      page = await browser.newPage();
      page.on('pageerror', (error) => pageErrors.push(error));
      await page.addScriptTag({ content: await bundle() });
    });

    afterAll(() => browser?.close());

    test('the bundle loads without an error', () => {
      expect(pageErrors).toEqual([]);
    });

    test.each(formulas)('computes %s by %s as Node does', async (file, name, inputs, output) => {
      const golden = new GoldenCsv(file, {});
      const columns = inputs.map((input) => Array.from(golden.column(input)));
      const rows = columns[0]?.map((_, row) => columns.map((column) => column[row] ?? Number.NaN)) ?? [];
      const answers = await page.evaluate(
        ([formula, points]) => {
          const { physics } = globalThis as unknown as PhysicsPage;
          return points.map((point) => physics[formula]?.(...point) ?? Number.NaN);
        },
        [name, rows] as const,
      );
      golden.compareAll(output, answers, golden.column(output));
      golden.finish();
    });

    test('computes contrails of a flight as Node does', async () => {
      const expected = contrailsInUniformAir(physics);
      const answer = await page.evaluate<typeof expected>(`(${contrailsInUniformAir})(physics)`);
      expect(expected.energy.filter((joule) => joule !== 0).length).toBeGreaterThan(30);
      expect(answer.ageS).toEqual(expected.ageS);
      answer.energy.forEach((joule, i) => {
        expect(joule / (expected.energy[i] || 1)).toBeCloseTo(expected.energy[i] === 0 ? 0 : 1, 9);
      });
    });

    test('scales humidity with its tables over columns', async () => {
      const golden = new GoldenCsv('humidity_histogram_matching.csv', {});
      const inputs = ['specific_humidity', 'temperature_k', 'pressure_pa'].map((name) =>
        Array.from(golden.column(name)),
      );
      const rhi = await page.evaluate((lists) => {
        const { physics } = globalThis as unknown as PhysicsPage;
        const [q, T, p] = lists.map((list) => Float64Array.from(list)) as [
          Float64Array,
          Float64Array,
          Float64Array,
        ];
        const out = new Float64Array(q.length);
        physics.histogramMatching().scaleInto(q, out, q, T, p, q);
        return Array.from(out);
      }, inputs);
      golden.compareAll('scaled_rhi_pressure_linear_q', rhi, golden.column('scaled_rhi_pressure_linear_q'));
      golden.finish();
    });
  },
);

/** The whole package as one script that sets `globalThis.physics`. */
async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ['iife'], name: 'physics', fileName: 'physics' },
    },
  });
  const outputs = Array.isArray(built) ? built : [built];
  for (const output of outputs) {
    if ('output' in output) return output.output[0].code;
  }
  throw new Error('the bundler wrote nothing');
}
