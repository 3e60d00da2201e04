/** From an empty folder to the map with the newest forecast of a real archive, by the commands of the tutorial. */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumPath, launchBrowser } from '../../../test/support/browser.ts';
import { temporaryDirectory } from '../../../test/support/temporary.ts';
import { repositoryRoot } from '../../../test/support/tools.ts';
import { until } from '../../../test/support/until.ts';
import { type Mirror, startMirror } from '../../met/test/support/mirror.ts';
import { takeScreenshot } from './support/demo-app.ts';

const missing = chromiumPath === null;
const NOW = '2026-09-14T13:10:00Z';
const PROGRAM = join(repositoryRoot, 'packages/cli/bin/contrails.mjs');
const CLOCK = new URL('./support/programs/shifted-clock.mjs', import.meta.url).href;
/** A coarse forecast is soon complete. */
const SMALL = `
forecast:
  cells_per_degree: 0.25
  levels_per_job: 18
  hours: 14
  aircraft_types: [ B738 ]
log:
  level: warn
`;

describe.skipIf(missing)(
  missing ? 'skipped: there is no Chromium on this machine' : 'weather of an archive in the app',
  () => {
    let mirror: Mirror;
    let cwd: string;
    beforeAll(async () => {
      mirror = await startMirror();
      cwd = await temporaryDirectory();
    });
    afterAll(() => mirror.close());

    // The mirror has the runs of one day.
    const shifted = () => ({
      ...process.env,
      NODE_OPTIONS: `--import ${CLOCK}`,
      CLOCK_SHIFT_MS: String(Date.parse(NOW) - Date.now()),
    });
    const contrails = (...args: readonly string[]) =>
      execFileSync(process.execPath, [PROGRAM, ...args], { cwd, env: shifted(), encoding: 'utf8' });

    test('init from an empty folder leads to the map of the newest run with its attribution', async () => {
      const tutorial = readFileSync(join(repositoryRoot, 'docs/tutorial-weather.md'), 'utf8');
      const line = /^npx contrails (init --source ecmwf --yes)/m.exec(tutorial)?.[1] ?? '';
      const root = `${mirror.url}/ecmwf`;
      const printed = contrails(...line.split(' '), '--root', root);
      expect(printed).toContain('source "ecmwf" covers 14 Sep 00:00 to 15 Sep 12:00 UTC');
      expect(tutorial).toContain('npx contrails keys create --name me');
      const { key } = JSON.parse(contrails('keys', 'create', '--name', 'me', '--json')) as { key: string };
      appendFileSync(join(cwd, 'contrails.yaml'), SMALL);

      const service = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
        cwd,
        env: shifted(),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void service.kill('SIGKILL'));
      let output = '';
      service.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      const address = await until('the service is ready', async () => /http:\/\/[\d.:]+/.exec(output)?.[0], {
        seconds: 100,
      });
      const grid = `${address}/v1/grids?flight_level=350&time=2026-09-14T13`;
      const headers = { 'x-api-key': key };
      await until('the current hour is published', async () => (await fetch(grid, { headers })).ok, {
        seconds: 170,
        pauseMs: 500,
      });

      const browser = await launchBrowser();
      onTestFinished(() => browser.close());
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 0.5 });
      page.setDefaultTimeout(100_000);
      await page.clock.setSystemTime(NOW);
      await page.addInitScript(`sessionStorage.setItem('contrails-key', ${JSON.stringify(key)})`);
      await page.goto(`${address}/#/map?fl=350`);
      await page.locator('.hour-states .published').first().waitFor();
      await page.getByText('Index', { exact: true }).waitFor();
      await page.getByText('Contains modified data of ECMWF open data (CC-BY-4.0).').waitFor();
      expect(await page.getByText('Synthetic demonstration data').count()).toBe(0);
      await takeScreenshot(page, 'synced-weather');
      await page.goto(`${address}/#/status`);
      await page.getByText(/Run of 14 Sept? 2026, 00:00 UTC, about 13 hours old/).waitFor();
    }, 600_000);
  },
);
