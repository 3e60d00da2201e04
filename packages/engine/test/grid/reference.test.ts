import { expect, test } from 'vitest';
import { BINARY_MODELS } from '../../src/grid/models.ts';
import { evaluateCase, openReferenceMet, readBinaryCases } from './support/binary-case.ts';

const weather = { wide: await openReferenceMet('wide'), fine: await openReferenceMet('fine') };
const cases = readBinaryCases().flatMap((one) =>
  BINARY_MODELS.map((model) => [one.name, model, one] as const),
);

test.each(cases)('%s: %s is that of the reference in every cell', async (_, model, one) => {
  const flags = await evaluateCase(weather[one.met as keyof typeof weather], one, model);
  expect(flags).toBe(one[model]);
});
