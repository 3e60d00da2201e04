import { readFileSync } from 'node:fs';
import { TRAJECTORY_MODELS } from '@contrails/engine/flights/models';
import { type OptionEntry, TRAJECTORY_OPTIONS } from '@contrails/engine/flights/option-table';
import { optionsOf, trajectoryParameters } from '@contrails/engine/flights/options';
import { query, readerOf } from '@contrails/runtime/options/query';
import { expect, test } from 'vitest';

const PAGE = '../../../../docs/trajectory.md';
const [BEGIN, END] = ['<!-- begin: options -->', '<!-- end: options -->'];

test('the table of options in docs/trajectory.md matches the table in the code', async () => {
  const page = readFileSync(new URL(PAGE, import.meta.url), 'utf8');
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
  expect(before).toBeGreaterThan(0);
  expect(after).toBeGreaterThan(before);
  const generated = `${page.slice(0, before)}${BEGIN}\n${optionsReference()}\n${page.slice(after)}`;
  await expect(generated).toMatchFileSnapshot(PAGE);
});

function optionsReference(): string {
  const rows = Object.entries<OptionEntry>(TRAJECTORY_OPTIONS).map(
    ([name, entry]) => `| \`${name}\` | ${valuesOf(entry)} | ${modelsOf(entry)}${entry.meaning} |`,
  );
  return ['| Parameter | Values | |', '|---|---|---|', ...rows].join('\n');
}

function valuesOf({ values, number, placeholder, default: value, ...entry }: OptionEntry): string {
  const choices = entry.choices && [...entry.choices, ...(entry.choicesOfCocip ?? [])];
  if (values !== undefined) return values;
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  const unit = placeholder === 'number' ? '' : ` ${placeholder}`;
  const range =
    number?.minimum === undefined
      ? `more than ${number?.exclusiveMinimum}, up to ${number?.maximum}${unit}`
      : `${number.minimum} … ${number.maximum}${unit}`;
  return value === undefined ? range : `${range}, default ${value}`;
}

const modelsOf = ({ models }: OptionEntry) =>
  models === undefined ? '' : `${models.map((model) => `\`${model}\``).join(', ')}: `;

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
  });
  expect(options({ resample: '60', max_age_hours: '0.5' })).toMatchObject({
    resampleS: 60,
    maxAgeHours: 0.5,
  });
});
