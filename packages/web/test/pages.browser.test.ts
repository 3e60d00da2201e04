import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchBrowser } from '../../../test/support/browser.ts';
import { repositoryRoot } from '../../../test/support/tools.ts';

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

    test('the API page works without any other network and tries a request with a key', async () => {
      const { page, complaints } = await open('/openapi');
      await page.getByRole('button', { name: 'Authorize' }).click();
      await page.locator('.auth-container input').fill(key);
      await page.locator('.auth-btn-wrapper button[type=submit]').click();
      await page.locator('.btn-done').click();
      await page.locator('.opblock-summary-path', { hasText: 'validate-key' }).first().click();
      await page.getByRole('button', { name: 'Execute' }).first().click();
      await page.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
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
  const service = spawn(process.execPath, [program, 'serve', '--demo', '--port', '0', '--data', data], {
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
