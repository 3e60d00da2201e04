import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryDirectory } from '../../../../test/support/temporary.ts';
import { loadConfig } from '../../src/configuration.ts';

const deploy = fileURLToPath(new URL('../../../../deploy', import.meta.url));
const read = (name: string) => parse(readFileSync(join(deploy, name), 'utf8'), { merge: true });

/** What the secrets hold in a deployment. */
const SECRETS: Readonly<Record<string, string>> = {
  database: 'postgres://contrails:word@database/contrails',
  's3-id': 'id',
  's3-secret': 'secret',
};

function secretFile(directory: string, name: string): string {
  const path = join(directory, name);
  writeFileSync(path, SECRETS[name] ?? '');
  return path;
}

test.each(['server', 'worker'])('the compose file configures a %s that starts', async (service) => {
  const directory = await temporaryDirectory();
  const { environment, secrets } = read('compose.yaml').services[service];
  const withSecrets = Object.fromEntries(
    Object.entries<string>(environment).map(([name, value]) => [
      name,
      name.endsWith('_FILE') ? secretFile(directory, value.replace('/run/secrets/', '')) : value,
    ]),
  );
  expect(secrets).toEqual(Object.keys(SECRETS));
  const config = loadConfig({
    file: join(deploy, 'contrails.yaml'),
    environment: withSecrets,
    directory,
  });
  expect(config).toMatchObject({
    data: { bucket: 'contrails' },
    s3: { endpoint: 'http://bucket:7070', path_style: true },
    met: { sources: [{ kind: 'synthetic' }] },
  });
});

interface Item {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}

interface Container {
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly key: string } };
  }[];
}

test.each(['contrails-server', 'contrails-worker'])('the Kubernetes example configures %s', async (name) => {
  const directory = await temporaryDirectory();
  const { items } = read('kubernetes.yaml') as { items: Item[] };
  const file = join(directory, 'contrails.yaml');
  writeFileSync(file, items.find(({ kind }) => kind === 'ConfigMap')?.data?.['contrails.yaml'] ?? '');
  const container = items.find(({ metadata }) => metadata.name === name)?.spec?.template.spec.containers[0];
  const environment = Object.fromEntries(
    (container?.env ?? []).map(({ name, value, valueFrom }) => [
      name,
      value ?? SECRETS[valueFrom?.secretKeyRef.key ?? ''] ?? '',
    ]),
  );
  const config = loadConfig({ file, environment, directory });
  expect(config).toMatchObject({ data: { bucket: 'contrails' }, metrics: { serve: 'own', host: '0.0.0.0' } });
});

test('the image is built from what the checkout has', () => {
  const containerfile = readFileSync(join(deploy, 'Containerfile'), 'utf8');
  const { scripts } = JSON.parse(readFileSync(join(deploy, '../package.json'), 'utf8'));
  const [, script = ''] = /npm run (\w+)/.exec(containerfile) ?? [];
  const [, program = ''] = /\/opt\/contrails\/(packages\S+\.mjs)/.exec(containerfile) ?? [];
  expect(scripts).toHaveProperty(script);
  expect(readFileSync(join(deploy, '..', program), 'utf8')).toMatch(/^#!.*node/);
});
