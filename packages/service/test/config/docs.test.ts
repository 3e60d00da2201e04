import { expect, test } from 'vitest';
import { configurationReference } from '../../src/config/docs.ts';
import { settingsNode } from '../../src/config/schema.ts';
import { type SchemaNode, schemaKeys } from '../../src/config/schema-node.ts';

test('docs/configuration.md is what the schema says', async () => {
  await expect(configurationReference()).toMatchFileSnapshot('../../../../docs/configuration.md');
});

test.each(schemaKeys(settingsNode).map(({ path, node }) => [path.join('.'), node] as [string, SchemaNode]))(
  '%s says what it means',
  (_, node) => {
    expect(node.description ?? '').toMatch(/[.]$/);
  },
);
