import { describe, expect, test } from 'vitest';
import { checkClock } from '../../service/src/doctor/clock.ts';
import { checkMemory, checkNode, checkOpenFiles, checkThreads } from '../../service/src/doctor/machine.ts';
import { checkForecastMemory } from '../../service/src/families/forecast/doctor.ts';

const GIB = 2 ** 30;

describe('the machine', () => {
  test.each([
    ['an old Node', checkNode('20.11.0'), 'fail'],
    ['a good Node', checkNode('22.18.0'), 'ok'],
    ['no free memory', checkMemory(8 * GIB, GIB / 10), 'fail'],
    ['a small container', checkMemory(GIB / 2, GIB / 4), 'warn'],
    ['enough memory', checkMemory(8 * GIB, 4 * GIB), 'ok'],
    ['few open files', checkOpenFiles(1024), 'warn'],
    ['hardly any open files', checkOpenFiles(100), 'fail'],
    ['more threads than processors', checkThreads(8, 2), 'warn'],
    ['threads by themselves', checkThreads('auto', 2), 'ok'],
  ])('%s is reported as it should be', (_, finding, state) => {
    expect(finding.state).toBe(state);
    expect(finding.remedy === undefined).toBe(state === 'ok');
  });
});

describe('memory for the forecast', () => {
  const levels = [100, 125, 150, 175, 200, 225, 250, 300, 350, 400, 450, 500];
  const demo = { levels, resolutionDeg: [1, 1], latitude: [-90, 90], runs: [{ referenceTime: 0 }] } as const;
  const MIB = 2 ** 20;

  test('that is too small is reported with what is needed', () => {
    expect(checkForecastMemory(demo, 64 * MIB)).toEqual([
      {
        state: 'warn',
        message: expect.stringMatching(
          /^a forecast holds about 220 MiB of this weather, and met\.memory_mib allows 64 MiB: /,
        ),
        remedy: expect.stringMatching(/^set met\.memory_mib to 243 or more/),
      },
    ]);
  });

  test.each([
    ['that suffices', demo, 512],
    ['of weather without forecasts', { ...demo, runs: [{}] }, 64],
  ])('%s is not reported', (_, source, mib) => {
    expect(checkForecastMemory(source, mib * MIB)).toEqual([]);
  });
});

describe('the clock', () => {
  const nowMs = Date.UTC(2030, 0, 1);
  const other = (aheadMs: number, resolutionMs = 1000) => [{ name: 'the database', aheadMs, resolutionMs }];
  test.each([
    ['alone', nowMs, [], 'ok'],
    ['before this program was written', 0, [], 'fail'],
    ['as the others', nowMs, other(400), 'ok'],
    ['some seconds off', nowMs, other(-9_000), 'warn'],
    ['hours off', nowMs, other(7_200_000), 'fail'],
    ['off by less than can be measured', nowMs, other(9_000, 10_000), 'ok'],
  ])('a clock %s is judged as it should be', (_, ms, others, state) => {
    expect(checkClock(ms, others).state).toBe(state);
  });
});
