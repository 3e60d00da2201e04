import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchBrowser } from '../../../test/support/browser.ts';
import { smallConfig } from '../../../test/support/live-service.ts';
import { repositoryRoot } from '../../../test/support/tools.ts';
import { until } from '../../../test/support/until.ts';

const missing = chromiumPath === null;

describe.skipIf(missing)(
  missing ? 'skipped: there is no Chromium on this machine' : 'pages in Chromium',
  () => {
    const data = mkdtempSync(join(tmpdir(), 'contrails pages '));
    let service: ChildProcess;
    let address: string;
    let key: string;
    let browser: Browser;

    beforeAll(async () => {
      ({ service, address, key } = await startDemo(data));
      browser = await launchBrowser();
    });

    afterAll(async () => {
      await browser?.close();
      const ended = new Promise((resolve) => service.once('exit', resolve));
      service.kill('SIGTERM');
      await ended;
      rmSync(data, { recursive: true, force: true });
    });

    /** A page that may talk to the service and to nobody else; what it complains about or asks of others is collected. */
    async function open(path: string): Promise<{ page: Page; complaints: string[] }> {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.route('**', (route) => {
        const url = route.request().url();
        if (url.startsWith(address) || url.startsWith('data:')) return route.continue();
        complaints.push(`asked for ${url}`);
        return route.abort();
      });
      await page.goto(address + path);
      return { page, complaints };
    }

    test('the start page shows that every part of the service is ready', async () => {
      const { page, complaints } = await open('/');
      await page.getByText('database').waitFor();
      expect(await page.locator('.checks li').allTextContents()).toEqual(
        expect.arrayContaining([expect.stringMatching(/^database ok/), expect.stringMatching(/^store ok/)]),
      );
      expect(complaints).toEqual([]);
    });

    test('the start page shows what a key may do, and why a wrong one is refused', async () => {
      const { page } = await open('/');
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByText('research, forecast').waitFor();
      await page.getByLabel('API key').fill('ctr_aaaaaaaa_wrong');
      await page.getByRole('button', { name: 'Check' }).click();
      expect(await page.getByRole('alert').textContent()).toMatch(/key/);
    });

    test('"Execute" on the API page of the demo gets 200 with what is filled in', {
      timeout: 480_000,
    }, async () => {
      const regions = `${address}/v1/regions?time=${new Date().toISOString().slice(0, 13)}`;
      const headers = { 'x-api-key': key };
      await until('the current hour is published', async () => (await fetch(regions, { headers })).ok, {
        seconds: 400,
        pauseMs: 500,
      });
      const { page, complaints } = await open('/openapi');
      // The demo computes its forecast meanwhile.
      page.setDefaultTimeout(120_000);
      for (const path of [
        '/v0/auth/validate-key',
        '/v0/grid/availability',
        '/v1/regions',
        '/v1/grids',
        '/v0/trajectory/sac',
        '/v0/trajectory/cocip',
      ]) {
        const operation = page.locator('.opblock', {
          has: page.locator(`.opblock-summary-path[data-path="${path}"]`),
        });
        await operation.locator('.opblock-summary-control').click();
        await operation.getByRole('button', { name: 'Execute' }).click();
        const status = operation.locator('.live-responses-table tr.response .response-col_status').first();
        await status.waitFor();
        expect(await status.textContent(), path).toMatch(/^200/);
      }
      const optional = page.locator('.opblock-get tr:not(:has(.parameter__name.required)) input[type=text]');
      expect(await optional.count()).toBeGreaterThan(0);
      for (const input of await optional.all()) expect(await input.inputValue()).toBe('');
      expect(complaints).toEqual([]);
    });

    test('a problem page explains what an error means', async () => {
      const { page, complaints } = await open('/problems');
      await page.getByRole('link').first().click();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toBe('');
      expect(complaints).toEqual([]);
    });
  },
);

async function startDemo(data: string): Promise<{ service: ChildProcess; address: string; key: string }> {
  const program = join(repositoryRoot, 'packages/cli/bin/contrails.mjs');
  const config = join(data, 'contrails.yaml');
  writeFileSync(config, smallConfig());
  const flags = ['--demo', '--port', '0', '--data', data, '--config', config];
  const service = spawn(process.execPath, [program, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  for await (const chunk of service.stdout as AsyncIterable<Buffer>) {
    printed += chunk.toString();
    const address = /http:\/\/[\d.:]+/.exec(printed)?.[0];
    const key = /ctr_[\w-]+/.exec(printed)?.[0];
    if (address !== undefined && key !== undefined) return { service, address, key };
  }
  throw new Error(`the service did not start: ${printed}`);
}
