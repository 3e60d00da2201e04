import { describe, expect, test } from 'vitest';
import { findViolations } from '../layers.ts';

const manifests = {
  physics: {},
  met: { dependencies: { '@contrails/physics': '0.1.0' } },
  formats: { dependencies: { '@contrails/met': '0.1.0' } },
  service: { dependencies: { fastify: '5', '@contrails/cli': '0.1.0' } },
};
const violations = (path: string, text: string) => findViolations('/repo', [{ path, text }], manifests);

describe('the layer check', () => {
  test('lets a package import what is below it', () => {
    expect(violations('packages/met/src/a.ts', `import { isa } from '@contrails/physics';`)).toEqual([]);
  });

  test('refuses an upward import even when it is declared', () => {
    expect(violations('packages/service/src/a.ts', `const c = await import('@contrails/cli');`)).toEqual([
      'packages/service/src/a.ts: imports @contrails/cli, which is not a layer below @contrails/service',
    ]);
  });

  test('refuses an import from the package beside', () => {
    expect(violations('packages/formats/src/a.ts', `import '@contrails/met';`)).toHaveLength(1);
  });

  test('refuses what is not declared', () => {
    expect(violations('packages/service/src/a.ts', `import pg from 'pg';`)).toEqual([
      'packages/service/src/a.ts: imports pg, which @contrails/service does not declare as a dependency',
    ]);
  });

  test('refuses a relative path out of the package', () => {
    expect(violations('packages/met/src/a.ts', `import x from '../../physics/src/isa.ts';`)).toHaveLength(1);
    expect(violations('packages/met/src/a.ts', `import x from './b/../c.ts';`)).toEqual([]);
  });

  test('refuses a package whose name begins like its own', () => {
    expect(violations('packages/met/src/a.ts', `import x from '../../met-extra/src/x.ts';`)).toEqual([
      'packages/met/src/a.ts: imports ../../met-extra/src/x.ts from outside its package',
    ]);
  });

  test('refuses an import of another family', () => {
    const planning = 'packages/service/src/families/planning/routes.ts';
    expect(violations(planning, `import x from '../forecast/config.ts';`)).toEqual([
      `${planning}: imports ../forecast/config.ts from the family beside it; put what both need into a room below the families`,
    ]);
    expect(violations(planning, `import x from './schema.ts';`)).toEqual([]);
    expect(violations(planning, `import x from '../../forecast-products/task.ts';`)).toEqual([]);
    expect(
      violations('packages/service/src/families/index.ts', `import x from './planning/family.ts';`),
    ).toEqual([]);
  });

  test('refuses a Node API inside physics', () => {
    expect(violations('packages/physics/src/a.ts', `import { readFileSync } from 'node:fs';`)).toHaveLength(
      1,
    );
  });
});
