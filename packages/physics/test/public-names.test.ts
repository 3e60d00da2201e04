import { expect, test } from 'vitest';
import * as physics from '../src/index.ts';

test('the public names of every subject are those of public-names.txt', async () => {
  const lines = Object.entries(physics).flatMap(([subject, names]) => [
    `${subject}:`,
    ...Object.keys(names)
      .sort()
      .map((name) => `  ${name}`),
  ]);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./public-names.txt');
});
