import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { UsageError } from '@contrails/runtime/errors';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ConfigSources, loadConfig } from '../../src/configuration.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'contrails config '));
});
afterEach(() => rmSync(directory, { recursive: true }));

function load(sources: { yaml?: string } & Partial<ConfigSources> = {}) {
  const { yaml, ...rest } = sources;
  if (yaml !== undefined) writeFileSync(join(directory, 'contrails.yaml'), yaml);
  return loadConfig({ environment: {}, directory, ...rest });
}

function refusal(sources: { yaml?: string } & Partial<ConfigSources>): string {
  try {
    load(sources);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

test('latitudes and levels of climate change functions have their lower end first', () => {
  expect(refusal({ yaml: 'accf: { valid_hpa: [400, 150] }\n' })).toBe(
    'accf.valid_hpa is [400, 150]; give the lower end first: [150, 400]',
  );
  expect(refusal({ yaml: 'accf: { valid_latitude: [30] }\n' })).toContain('accf.valid_latitude');
  expect(load({ yaml: 'accf: { methane_lifetime_years: 9.1 }\n' }).accf).toEqual({
    valid_latitude: [30, 90],
    valid_hpa: [150, 400],
    methane_lifetime_years: 9.1,
  });
});

describe('where settings come from', () => {
  test('without a file every key has its default', () => {
    const config = load();
    expect(config).toMatchObject({
      file: undefined,
      data: { kind: 'directory', path: join(directory, 'data') },
      database: { kind: 'embedded' },
      server: { host: '127.0.0.1', port: 8080, cors_origins: ['*'], shutdown_seconds: 30 },
      workers: { threads: 'auto' },
      metrics: { serve: 'off' },
    });
  });

  test('contrails.yaml in the working directory is picked up and keeps the defaults of what it does not set', () => {
    const config = load({ yaml: 'server: { port: 9000 }\n' });
    expect(config.server).toMatchObject({ port: 9000, host: '127.0.0.1' });
    expect(config.file).toBe(join(directory, 'contrails.yaml'));
  });

  test('what is set is known from what has its default, also where both are equal', () => {
    const { given } = load({
      yaml: 'server: { port: 8080, host: null }\nmet:\n',
      environment: { CONTRAILS_LOG__LEVEL: 'info' },
      flags: [{ flag: '--threads', key: 'workers.threads', text: 'auto' }],
    });
    expect([...given].sort()).toEqual([
      'log',
      'log.level',
      'server',
      'server.port',
      'workers',
      'workers.threads',
    ]);
  });

  test('the environment wins over the file', () => {
    expect(
      load({ yaml: 'server: { port: 1 }', environment: { CONTRAILS_SERVER__PORT: '2' } }).server.port,
    ).toBe(2);
  });

  test('a flag wins over the environment', () => {
    const config = load({
      environment: { CONTRAILS_SERVER__PORT: '2' },
      flags: [{ flag: '--port', key: 'server.port', text: '3' }],
    });
    expect(config.server.port).toBe(3);
  });

  test('CONTRAILS_CONFIG names the file, and --config wins over it', () => {
    writeFileSync(join(directory, 'a.yaml'), 'server: { port: 1 }');
    writeFileSync(join(directory, 'b.yaml'), 'server: { port: 2 }');
    expect(load({ environment: { CONTRAILS_CONFIG: 'a.yaml' } }).server.port).toBe(1);
    expect(load({ file: 'b.yaml', environment: { CONTRAILS_CONFIG: 'a.yaml' } }).server.port).toBe(2);
  });

  test('a section in one variable is read as YAML, and the more exact variable wins', () => {
    const environment = { CONTRAILS_SERVER__PORT: '2', CONTRAILS_SERVER: '{"port": 1, "host": "::"}' };
    expect(load({ environment }).server).toMatchObject({ port: 2, host: '::' });
  });

  test.each([
    ['["https://a.org", "https://b.org"]'],
    ['https://a.org, https://b.org'],
    ['[https://a.org, https://b.org]'],
  ])('a list is read from %s', (text) => {
    const { server } = load({ environment: { CONTRAILS_SERVER__CORS_ORIGINS: text } });
    expect(server.cors_origins).toEqual(['https://a.org', 'https://b.org']);
  });

  test('a lone * is a list of one origin', () => {
    expect(load({ environment: { CONTRAILS_SERVER__CORS_ORIGINS: '*' } }).server.cors_origins).toEqual(['*']);
  });

  test('an empty variable and an empty key count as not set', () => {
    const config = load({ yaml: 'server:\n  port:\nlog:\n', environment: { CONTRAILS_SERVER__HOST: '' } });
    expect(config.server).toMatchObject({ host: '127.0.0.1', port: 8080 });
  });

  test('variables that Kubernetes makes for a service called contrails are none of ours', () => {
    const environment = {
      CONTRAILS_SERVICE_HOST: '10.0.0.1',
      CONTRAILS_SERVICE_PORT: '8080',
      CONTRAILS_SERVICE_PORT_HTTP: '8080',
      CONTRAILS_PORT: 'tcp://10.0.0.1:8080',
      CONTRAILS_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      CONTRAILS_PORT_8080_TCP_ADDR: '10.0.0.1',
    };
    expect(load({ environment }).server.port).toBe(8080);
  });

  test('relative data in the file starts at the file, elsewhere at the working directory', () => {
    mkdirSync(join(directory, 'etc'));
    writeFileSync(join(directory, 'etc', 'c.yaml'), 'data: here');
    expect(load({ file: 'etc/c.yaml' }).data).toEqual({
      kind: 'directory',
      path: join(directory, 'etc', 'here'),
    });
    expect(load({ file: 'etc/c.yaml', environment: { CONTRAILS_DATA: 'there' } }).data).toEqual({
      kind: 'directory',
      path: join(directory, 'there'),
    });
  });
});

describe('refuses', () => {
  test('an unknown key, with its line and the key that was meant', () => {
    expect(refusal({ yaml: 'data: ./data\nserver:\n  host: ::1\n  prot: 80\n' })).toBe(
      'contrails.yaml line 4: server.prot is not a key; did you mean server.port?',
    );
  });

  test('a key like no other, with all that are allowed there', () => {
    expect(refusal({ yaml: 'log: { xyzzyxyz: 1 }' })).toBe(
      'contrails.yaml line 1: log.xyzzyxyz is not a key; allowed in log: level, format',
    );
  });

  test('a value out of range, with what came and what is allowed', () => {
    expect(refusal({ yaml: '\nserver: { port: 99999 }' })).toBe(
      'contrails.yaml line 2: server.port is 99999; allowed: an integer from 0 to 65535',
    );
  });

  test('a wrong entry of a list, with its line and place', () => {
    expect(refusal({ yaml: 'server:\n  cors_origins:\n    - https://a.org\n    - a.org\n' })).toMatch(
      /^contrails\.yaml line 4: server\.cors_origins\[1\] is "a\.org"; allowed: /,
    );
  });

  test('codes of airlines and aircraft that can exclude nothing', () => {
    expect(refusal({ yaml: 'inventory: { exclude_airlines: [lx, SWR] }' })).toBe(
      'contrails.yaml line 1: inventory.exclude_airlines[1] is "SWR"; allowed: an IATA code of two characters, such as LX (not the ICAO code SWR)',
    );
    expect(refusal({ yaml: 'inventory: { exclude_addresses: [4B180] }' })).toMatch(
      /inventory\.exclude_addresses\[0\] is "4B180"; allowed: six hexadecimal digits, such as 4B1800$/,
    );
  });

  test('a key given twice, with its line', () => {
    expect(refusal({ yaml: 'data: a\ndata: b\n' })).toMatch(/^contrails\.yaml line 2: .*duplicate key/);
  });

  test('broken YAML, with its line', () => {
    expect(refusal({ yaml: 'data: ./data\nserver: { port: 1\n' })).toMatch(
      /^contrails\.yaml line \d+: this is not YAML/,
    );
  });

  test('a file that is not a list of keys', () => {
    expect(refusal({ yaml: '- data' })).toMatch(/must be a list of keys/);
  });

  test('a file that does not exist, with its path', () => {
    expect(refusal({ file: 'nowhere.yaml' })).toMatch(/nowhere\.yaml cannot be read \(ENOENT\)/);
  });

  test('a wrong variable, with the one that was meant', () => {
    expect(refusal({ environment: { CONTRAILS_SERVER_PORT: '80' } })).toBe(
      'CONTRAILS_SERVER_PORT sets no known key; did you mean CONTRAILS_SERVER__PORT?',
    );
  });

  test('a wrong value in a variable or a flag, with its name', () => {
    expect(refusal({ environment: { CONTRAILS_SERVER__PORT: 'http' } })).toMatch(
      /^CONTRAILS_SERVER__PORT is "http"; allowed: an integer/,
    );
    expect(refusal({ flags: [{ flag: '--port', key: 'server.port', text: '-1' }] })).toMatch(
      /^--port is -1; allowed/,
    );
  });

  test('all errors of file, environment and flags at once', () => {
    const message = refusal({
      yaml: 'serve: {}\nlog: { level: loud }\n',
      environment: { CONTRAILS_WORKERS__THREADS: '0' },
      flags: [{ flag: '--port', key: 'server.port', text: 'x' }],
    });
    expect(message.split('\n')).toEqual([
      'the configuration has 4 errors:',
      '  contrails.yaml line 1: serve is not a key; did you mean server?',
      '  contrails.yaml line 2: log.level is "loud"; allowed: error, warn, info, debug or trace',
      '  CONTRAILS_WORKERS__THREADS is 0; allowed: auto or an integer from 1 to 1024',
      '  --port is "x"; allowed: an integer from 0 to 65535',
    ]);
  });

  test('a bucket with the embedded database, with the remedy', () => {
    expect(refusal({ yaml: 'data: s3://bucket/prefix' })).toMatch(
      /embedded database needs a directory; set database/,
    );
  });

  test.each(['s3://', 's3://UPPER', 'https://example.org/data', 's3://key:secret@bucket'])(
    'data: %s',
    (data) => {
      expect(refusal({ yaml: `data: "${data}"` })).toMatch(/data is .*; allowed: a directory or s3:/);
    },
  );

  test('__proto__ as a key, like any other unknown key', () => {
    expect(refusal({ yaml: '__proto__: { port: 1 }' })).toMatch(/__proto__ is not a key/);
  });

  test('any text: it is either accepted or refused as wrong usage', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (yaml, port) => {
        try {
          load({ yaml, environment: { CONTRAILS_SERVER__PORT: port } });
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });
});

describe('secrets', () => {
  const password = 'hunter2-correct-horse';

  test.each([
    [`database: postgres://contrails:${password}@db/contrails`, 'CONTRAILS_DATABASE'],
    [`database: postgres://db/contrails?password=${password}`, 'CONTRAILS_DATABASE'],
    [`database_password: ${password}`, 'CONTRAILS_DATABASE_PASSWORD'],
    [`s3: { secret_access_key: ${password} }`, 'CONTRAILS_S3__SECRET_ACCESS_KEY'],
    [`s3: { access_key_id: &x ${password} }\ndatabase_password: *x`, 'CONTRAILS_S3__ACCESS_KEY_ID'],
  ])('in the file (%#) are refused with the remedy and not shown', (yaml, variable) => {
    const message = refusal({ yaml });
    expect(message).toContain(`set ${variable}, or ${variable}_FILE to a file that has it, instead`);
    expect(message).not.toContain(password);
  });

  test.each([
    ['as a wrong value', { yaml: `database: postgress://u:${password}@h` }],
    ['in an address of another key', { yaml: `s3: { endpoint: "https://u:${password}@h" }` }],
    ['under an unknown key', { yaml: `databse: postgres://u:${password}@h` }],
    ['in broken YAML', { yaml: `database: postgres://u:${password}@h\n  x: [` }],
    ['as an alias', { yaml: `database_password: *${password}` }],
    ['in a wrong variable', { environment: { CONTRAILS_DATABASE: `mysql://u:${password}@h` } }],
    ['in an unreadable address', { environment: { CONTRAILS_DATABASE: `postgres://u:${password}@[h` } }],
    [
      'twice',
      { environment: { CONTRAILS_DATABASE: `postgres://u:${password}@h`, CONTRAILS_DATABASE_PASSWORD: 'b' } },
    ],
    ['without a database', { environment: { CONTRAILS_DATABASE_PASSWORD: password } }],
    ['half given', { environment: { CONTRAILS_S3__SECRET_ACCESS_KEY: password } }],
  ])('%s are refused and not shown', (_, sources) => {
    expect(refusal(sources)).not.toContain(password);
  });

  test('come from the environment and cannot be printed', () => {
    const config = load({
      environment: {
        CONTRAILS_DATABASE: `postgres://contrails:${password}@db:5432/name`,
        CONTRAILS_S3__ACCESS_KEY_ID: `id-${password}`,
        CONTRAILS_S3__SECRET_ACCESS_KEY: password,
      },
    });
    expect(config.s3.secret_access_key?.reveal()).toBe(password);
    expect(config.database.kind === 'postgres' && config.database.url.reveal()).toContain(password);
    expect(config.database).toMatchObject({ shown: 'postgres://contrails@db:5432/name' });
    expect(`${JSON.stringify(config)} ${inspect(config, { depth: 9, showHidden: true })}`).not.toContain(
      password,
    );
    expect(`${config.s3.access_key_id}`).toBe('***');
  });

  test('come from files, trimmed', () => {
    writeFileSync(join(directory, 'secret'), `  ${password}\n`);
    const config = load({
      environment: {
        CONTRAILS_DATABASE: 'postgres://contrails@db/name',
        CONTRAILS_DATABASE_PASSWORD_FILE: join(directory, 'secret'),
      },
    });
    expect(config.database.kind === 'postgres' && config.database.url.reveal()).toBe(
      `postgres://contrails:${password}@db/name`,
    );
  });

  test('a password with special characters survives the address', () => {
    const config = load({
      environment: { CONTRAILS_DATABASE: 'postgres://u@db/n', CONTRAILS_DATABASE_PASSWORD: 'a/b@c:d %' },
    });
    const url = config.database.kind === 'postgres' ? new URL(config.database.url.reveal()) : undefined;
    expect(decodeURIComponent(url?.password ?? '')).toBe('a/b@c:d %');
  });

  test('a file that is missing or empty is named', () => {
    writeFileSync(join(directory, 'empty'), '\n');
    const message = refusal({
      environment: {
        CONTRAILS_DATABASE_FILE: join(directory, 'none'),
        CONTRAILS_S3__ACCESS_KEY_ID_FILE: join(directory, 'empty'),
      },
    });
    expect(message).toMatch(/CONTRAILS_DATABASE_FILE names .*none, which cannot be read \(ENOENT\)/);
    expect(message).toMatch(/CONTRAILS_S3__ACCESS_KEY_ID_FILE names .*empty, which is empty/);
  });

  test('a variable and its _FILE are not both accepted', () => {
    writeFileSync(join(directory, 'secret'), 'embedded');
    const environment = {
      CONTRAILS_DATABASE: 'embedded',
      CONTRAILS_DATABASE_FILE: join(directory, 'secret'),
    };
    expect(refusal({ environment })).toMatch(/CONTRAILS_DATABASE_FILE and CONTRAILS_DATABASE are both set/);
  });

  test('_FILE is for secrets only', () => {
    expect(refusal({ environment: { CONTRAILS_SERVER__PORT_FILE: '/etc/hostname' } })).toMatch(
      /CONTRAILS_SERVER__PORT_FILE sets no known key/,
    );
  });
});
