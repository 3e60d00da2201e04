import { expect, test } from 'vitest';
import * as physics from '../src/index.ts';

test('the public names are those of public-names.txt', async () => {
  const names = Object.keys(physics).sort();
  await expect(`${names.join('\n')}\n`).toMatchFileSnapshot('./public-names.txt');
});
