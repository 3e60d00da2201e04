import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems } from '../../../../test/support/accessibility.ts';
import { chromiumPath } from '../../../../test/support/browser.ts';
import { type DemoApp, startDemoApp, takeScreenshot, untilPublished } from '../support/demo-app.ts';
import { analyst } from './analyst.ts';
import { planner } from './planner.ts';
import { receiverOwner } from './receiver-owner.ts';
import { researcher } from './researcher.ts';
import { satellitePerson } from './satellite-person.ts';
import { visitor } from './visitor.ts';

const missing = chromiumPath === null;
let app: DemoApp;
beforeAll(async () => {
  if (missing) return;
  app = await startDemoApp();
  await untilPublished(app);
});
afterAll(() => app?.close());

describe.skipIf(missing).each([
  ['desktop', false],
  ['phone', true],
] as const)(
  missing ? 'skipped on a %s: there is no Chromium on this machine' : 'on a %s',
  (device, isPhone) => {
    test.each([...visitor, ...researcher, ...planner, ...analyst, ...satellitePerson, ...receiverOwner])(
      '$name',
      async ({ name, walk }) => {
        const { page, complaints } = await app.open('/', {
          phone: isPhone,
          ...(isPhone && { colorScheme: 'light' }),
        });
        await walk(page, isPhone);
        await takeScreenshot(page, `walk-${device}-${name.replaceAll(/[^a-z]+/g, '-').slice(0, 60)}`);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        );
        expect(await accessibilityProblems(page)).toEqual([]);
        expect(complaints).toEqual([]);
        await page.close();
      },
    );
  },
);
