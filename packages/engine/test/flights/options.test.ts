import { ACCF_VERSIONS, CO2E_METRICS, EMISSION_SCENARIOS } from '@contrails/physics/climate';
import { CO2E_SETS } from '@contrails/physics/cocip';
import { SAMPLING_METHODS, UNCERTAINTY_SETS } from '@contrails/physics/uncertainty';
import { query, readerOf } from '@contrails/runtime/options/query';
import { expect, test } from 'vitest';
import { expectTables } from '../../../../test/support/docs-tables.ts';
import { DEFAULT_CLIMATE } from '../../src/flights/flight-climate.ts';
import { TRAJECTORY_MODELS } from '../../src/flights/models.ts';
import { TRAJECTORY_OPTIONS } from '../../src/flights/option-table.ts';
import { optionsOf, trajectoryParameters } from '../../src/flights/options.ts';
import type { OptionEntry } from '../../src/options/entry.ts';
import { ENSEMBLE_SCALING, HUMIDITY_SCALINGS } from '../../src/weather/humidity-scaling.ts';
import { optionValues } from '../support/option-values.ts';

test('the table of options in docs/trajectory.md matches the table in the code', () =>
  expectTables('trajectory.md', { options: optionsReference() }));

function optionsReference(): string[] {
  const rows = Object.entries<OptionEntry>(TRAJECTORY_OPTIONS).map(
    ([name, entry]) => `| \`${name}\` | ${optionValues(entry)} | ${modelsOf(entry)}${entry.meaning} |`,
  );
  return ['| Parameter | Values | |', '|---|---|---|', ...rows];
}

const modelsOf = ({ models }: OptionEntry) =>
  models === undefined ? '' : `${models.map((model) => `\`${model}\``).join(', ')}: `;

test('the choices of the table are those of the models', () => {
  const { humidity_scaling, uncertainty_set, sampling, co2e_metric, co2e_set, accf_v, emission_scenario } =
    TRAJECTORY_OPTIONS;
  expect(humidity_scaling.choices).toEqual(HUMIDITY_SCALINGS);
  expect(humidity_scaling.choicesOfCocip).toEqual([ENSEMBLE_SCALING]);
  expect(uncertainty_set.choices).toEqual(UNCERTAINTY_SETS);
  expect(sampling.choices).toEqual(SAMPLING_METHODS);
  expect(co2e_metric.choices).toEqual(CO2E_METRICS);
  expect([...co2e_set.choices].sort()).toEqual(Object.keys(CO2E_SETS).sort());
  expect(accf_v.choices).toEqual(ACCF_VERSIONS);
  expect(emission_scenario.choices).toEqual(EMISSION_SCENARIOS);
});

test.each(TRAJECTORY_MODELS)('every option of %s is a parameter, with the choices of the table', (model) => {
  const parameters = trajectoryParameters(model);
  const wanted = Object.entries<OptionEntry>(TRAJECTORY_OPTIONS).filter(
    ([, { models }]) => models === undefined || models.includes(model),
  );
  expect(Object.keys(parameters)).toEqual(wanted.map(([name]) => name));
  for (const [name, { choices, choicesOfCocip = [] }] of wanted) {
    if (choices === undefined) continue;
    const own = model === 'cocip' ? [...choices, ...choicesOfCocip] : choices;
    expect(parameters[name]?.schema).toMatchObject({ enum: own });
  }
});

test('an option that is left out has the default of the table', () => {
  const read = readerOf(query(trajectoryParameters('cocip')));
  const options = (raw: Record<string, string>) => optionsOf(read?.(raw) as never, 'none');
  expect(options({})).toMatchObject({
    includes: [],
    scaling: { name: 'none', options: {} },
    maxAgeHours: 12,
    dtIntegrationMinutes: 10,
    climate: DEFAULT_CLIMATE,
  });
  expect(options({ resample: '60', max_age_hours: '0.5' })).toMatchObject({
    resampleS: 60,
    maxAgeHours: 0.5,
  });
});
