import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { USER_AGENT } from '../src/user-agent.ts';

test('servers are told the version and the page of the repository for complaints', () => {
  const { repository, version } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  ) as { repository: string; version: string };
  const page = repository.replace(/^git\+|\.git$/g, '');
  expect(USER_AGENT).toBe(`contrails/${version} (+${page}/issues)`);
});
