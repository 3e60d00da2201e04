import { COOLING_RULES } from '@contrails/physics/planning';
import { readFlags } from '@contrails/runtime/options/flags';
import { expect, test } from 'vitest';
import { expectTables } from '../../../../test/support/docs-tables.ts';
import { TRAJECTORY_OPTIONS } from '../../src/flights/option-table.ts';
import { PLANNING_OPTIONS, type PlanOptionEntry } from '../../src/planning/option-table.ts';
import { PLAN_KINDS, planningOptionsOf, planningParameters } from '../../src/planning/options.ts';
import { optionValues } from '../support/option-values.ts';

test('the table of options in docs/planning.md matches the table in the code', () =>
  expectTables('planning.md', { options: optionsReference() }));

function optionsReference(): string[] {
  const rows = Object.entries<PlanOptionEntry>(PLANNING_OPTIONS).map(([name, entry]) => {
    const isShared = name in TRAJECTORY_OPTIONS && name !== 'include';
    const row = `| \`${name}\` | ${optionValues(entry)} | ${entry.kind === undefined ? '' : `\`${entry.kind}\`: `}${entry.meaning} |`;
    return isShared ? row.replaceAll('(#', '(trajectory.md#') : row;
  });
  return ['| Parameter | Values | |', '|---|---|---|', ...rows];
}

test('the choices of cooling are those of the prices', () => {
  expect(PLANNING_OPTIONS.cooling.choices).toEqual(COOLING_RULES);
});

test.each(PLAN_KINDS)('every option of the table is a parameter of %s', (kind) => {
  const wanted = Object.entries<PlanOptionEntry>(PLANNING_OPTIONS).filter(
    ([, entry]) => entry.kind === undefined || entry.kind === kind,
  );
  const parameters: Readonly<Record<string, unknown>> = planningParameters[kind];
  for (const [name] of wanted) expect(parameters).toHaveProperty(name);
});

test('options that are left out have the defaults of the guide', () => {
  const values = readFlags(planningParameters.profile, {});
  const { planning, options } = planningOptionsOf('profile', values as never, 'none');
  expect(planning).toMatchObject({
    prices: { fuelPrice: 0.8, costIndex: 30, carbonPrice: 50, horizon: 100, cooling: 'ignore' },
    minLevelMinutes: 15,
    maxChanges: 4,
    maxStepFt: 4000,
    parity: 'none',
    confidence: 0.8,
  });
  expect(planning.flightLevels).toEqual(Array.from({ length: 18 }, (_, k) => 270 + 10 * k));
  expect(options).toMatchObject({ maxAgeHours: 12, dtIntegrationMinutes: 10 });
});
