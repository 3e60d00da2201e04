import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SchemaNode, schemaKeys } from '@contrails/platform/config/schema-node';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { repositoryRoot } from '../../../../test/support/tools.ts';
import { configurationReference, loadConfig, settingsNode } from '../../src/configuration.ts';

test('docs/configuration.md is generated from the schema', async () => {
  await expect(configurationReference()).toMatchFileSnapshot('../../../../docs/configuration.md');
});

test.each(schemaKeys(settingsNode).map(({ path, node }) => [path.join('.'), node] as [string, SchemaNode]))(
  '%s has a description',
  (_, node) => {
    expect(node.description ?? '').toMatch(/[.]$/);
  },
);

const pages = readdirSync(join(repositoryRoot, 'docs')).filter((name) => name.endsWith('.md'));
const examples = pages.flatMap((page) => {
  const text = readFileSync(join(repositoryRoot, 'docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```yaml\n(.*?)^```/gms)];
  return blocks.map(([, yaml = ''], k) => [page, k + 1, yaml] as const);
});

test.each(examples)('docs/%s, example %d is accepted', async (_, __, yaml) => {
  const directory = await temporaryDirectory();
  writeFileSync(join(directory, 'contrails.yaml'), yaml);
  expect(loadConfig({ environment: {}, directory }).file).toMatch(/contrails\.yaml$/);
});
