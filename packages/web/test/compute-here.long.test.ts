/** Energy forcing computed in the page, by the WebGPU of Chromium on a GPU that is a program, against the grids of the service. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../../../test/support/browser.ts';
import { gridDeviations } from '../../../test/support/gpu.ts';
import { until } from '../../../test/support/until.ts';
import { openNetcdf } from '../src/grid/read-netcdf.ts';
import { type DemoApp, startDemoApp, takeScreenshot } from './support/demo-app.ts';
import { downloaded } from './support/download.ts';

const missing = chromiumPath === null;

/** Grids of the service are coarse, so what is compared are every fourth cell of the page. */
const CONFIG = `
met:
  sources:
    - { name: demo, kind: synthetic, resolution: 2, seed: 1 }
forecast:
  schedule: off
  cells_per_degree: 1
  aircraft_types: [B738, A21N]
inventory: { schedule: off }
workers:
  threads: 1
compute:
  device: cpu
server:
  max_event_loop_delay_ms: 60000
log:
  level: warn
`;

/** Nothing of it is stored. */
const [TYPE, SCALING, LEVEL] = ['A21N', 'exponential_boost', 340] as const;

/** A program compiles the shaders for a processor, which takes it longer than the grid. */
const COMPILE_MS = 400_000;

describe.skipIf(missing)(
  missing ? 'skipped: there is no Chromium on this machine' : 'the GPU of a visitor',
  () => {
    let app: DemoApp;
    beforeAll(async () => {
      app = await startDemoApp({ config: CONFIG, traffic: null, webGpu: true });
    });
    afterAll(() => app?.close());

    test('computes what is in view as the service does, and a link begins it again', async () => {
      const { page, complaints } = await app.open(`/#/map?fl=${LEVEL}&layer=ef&wind=0&at=46,-30,4`);
      await page.getByText('Compute here, on this device').click();
      await page.getByRole('combobox', { name: 'Aircraft', exact: true }).selectOption(TYPE);
      await page.getByRole('combobox', { name: 'Humidity correction' }).selectOption(SCALING);
      await page.getByRole('button', { name: 'Compute this region' }).click();
      await page.getByRole('progressbar', { name: 'Progress of the computation' }).waitFor();
      await page
        .getByRole('heading', { name: `Energy forcing of a ${TYPE}, computed on this device` })
        .waitFor({ timeout: COMPILE_MS });
      await page.getByText(/MB of weather were downloaded/).waitFor();
      await page.getByText('Energy forcing computed on this device, MJ per metre of flight').waitFor();
      await takeScreenshot(page, 'compute-here');

      const { name, bytes } = await downloaded(page, () =>
        page.getByRole('button', { name: 'Save CSV' }).click(),
      );
      expect(name).toMatch(/^contrails-ef-A21N-fl340-\d{4}-\d\d-\d\dT\d\d\.csv$/);
      const time = name.slice(-17, -4);
      const cells = new Map(
        bytes
          .toString()
          .trim()
          .split('\n')
          .slice(1)
          .map((line) => line.split(',').map(Number) as [number, number, number, number])
          .map(([x, y, ef, age]) => [`${x} ${y}`, { x, y, ef, age }]),
      );
      const { here, served } = await both(time, [...cells.values()], cells);
      const { contrails, total, median, onOneSide } = gridDeviations(served, here);
      expect(contrails).toBeGreaterThan(5);
      expect(total).toBeLessThanOrEqual(1e-3);
      expect(median).toBeLessThanOrEqual(1e-4);
      // One of a hundred contrails may live or die by rounding.
      expect(onOneSide).toBeLessThanOrEqual(0.02);

      await page.waitForURL(/type=A21N&here=exponential_boost/);
      const link = page.url();
      await page.getByRole('button', { name: 'Layer of the service' }).click();
      await page.getByRole('heading', { name: /computed on this device/ }).waitFor({ state: 'hidden' });
      await page.goto('about:blank');
      await page.goto(link);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Compute this region' }).waitFor();
      await page.waitForURL(({ href }) => !href.includes('here='));
      // The service has stored no grid, and is busy on a slow machine.
      expect(complaints.filter((text) => !/status of (404|503)/.test(text))).toEqual([]);
    }, 600_000);

    test('that fails leaves the layer of the service, with a sentence', async () => {
      const { page } = await app.open(`/#/map?fl=${LEVEL}&layer=ef&here=none&wind=0&at=46,-30,4`);
      await page.getByText(/^Computing on the GPU/).waitFor();
      const session = await page.context().browser()?.newBrowserCDPSession();
      await session?.send('Browser.crashGpuProcess');
      await page
        .getByText(/The GPU of this device did not finish .*; the map shows the layer of the service/)
        .waitFor();
      await page.getByRole('heading', { name: 'Energy forcing of a B738', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Compute this region' }).click();
      await page.getByText(/^Computing on the GPU/).waitFor();
    }, 300_000);

    interface Cell {
      readonly x: number;
      readonly y: number;
      readonly ef: number;
      readonly age: number;
    }

    /** The cells that both have. */
    async function both(time: string, all: readonly Cell[], cells: ReadonlyMap<string, Cell>) {
      const [xs, ys] = [all.map(({ x }) => x), all.map(({ y }) => y)];
      const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
      const query = `time=${time}&flight_level=${LEVEL}&aircraft_type=${TYPE}&humidity_scaling=${SCALING}&bbox=${box}`;
      const headers = { 'x-api-key': app.key };
      const response = await until(
        'the service has time for the grid',
        async () => {
          const answer = await fetch(`${app.address}/v0/grid/cocip?${query}`, { headers });
          return answer.status === 503 ? undefined : answer;
        },
        { seconds: 120, pauseMs: 2000 },
      );
      if (!response.ok) throw new Error(await response.text());
      const { variables } = openNetcdf(await response.arrayBuffer());
      const read = (name: string) => variables.get(name)?.read() ?? new Float32Array();
      const [west, south] = [Math.ceil(box[0] as number), Math.ceil(box[1] as number)];
      const rows = Math.floor(box[3] as number) - south + 1;
      const served = { efPerM: [read('ef_per_m')], ageHours: [read('contrail_age')] };
      const found = Array.from(served.efPerM[0] ?? [], (_, k) =>
        cells.get(`${west + Math.floor(k / rows)} ${south + (k % rows)}`),
      );
      const here = {
        efPerM: [found.map((cell) => cell?.ef ?? Number.NaN)],
        ageHours: [found.map((cell) => cell?.age ?? Number.NaN)],
      };
      return { here, served };
    }
  },
);
