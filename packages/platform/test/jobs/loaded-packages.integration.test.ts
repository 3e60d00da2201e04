import { expect, test } from 'vitest';
import { runProgram } from '../../../../test/support/programs.ts';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';

test('the embedded queue loads neither pg-boss nor a PostgreSQL client', async () => {
  const program = runProgram(new URL('./programs/loaded-packages.ts', import.meta.url), [
    await temporaryDirectory(),
  ]);
  const packages = (await program.firstLine).split(' ');
  expect(packages).toContain('node:sqlite');
  expect(packages).not.toContain('pg-boss');
  expect(packages).not.toContain('pg');
});
