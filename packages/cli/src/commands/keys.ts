import type { IssuedKey, Key, KeyChange, ListedKey, StoredUsage } from '@contrails/platform/keys';
import { isoDate } from '@contrails/runtime';
import { scopes as known } from '@contrails/service/families';
import type { openKeysOnly } from '@contrails/service/services';
import { type Command, Option } from 'commander';
import { listOption } from '../completion/list-option.ts';
import { configureExisting, configureNew } from '../configure.ts';
import { example, integer, timeFlag } from '../flags.ts';
import { jsonTime, print, printJson, say, shownTime, table } from '../output.ts';

export function defineKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('API keys: make, list, change, rotate and revoke them, show their usage');
  example(keys, 'contrails keys create --name alice');
  defineCreate(keys);
  defineList(keys);
  defineUpdate(keys);
  defineRotate(keys);
  defineRevoke(keys);
  defineUsage(keys);
}

interface CreateFlags {
  readonly name: string;
  readonly scopes?: string;
  readonly expires?: string;
  readonly rate?: number;
  readonly concurrency?: number;
  readonly json?: boolean;
}

function defineCreate(parent: Command): void {
  const command = parent
    .command('create')
    .description('make a key and print it, once')
    .requiredOption('--name <name>', 'whom or what the key is for')
    .addOption(
      listOption(
        new Option(
          '--scopes <list>',
          `what it may do, separated by commas: ${known.all.join(', ')} (default: ${known.ordinary.join(',')})`,
        ),
        known.all,
      ),
    )
    .option(
      '--expires <time>',
      'when it stops working, such as 2030-12-31 or 2030-12-31T12:00Z (default: never)',
    )
    .option('--rate <n>', 'requests per minute (default: 600)', integer(1, 10_000_000))
    .option('--concurrency <n>', 'requests at once (default: 25)', integer(1, 100_000))
    .option('--json', 'print JSON')
    .action(async ({ name, scopes, expires, rate, concurrency, json }: CreateFlags) => {
      const wanted = {
        name,
        ...(scopes !== undefined && { scopes: known.parse(scopes) }),
        ...(expires !== undefined && { expiresMs: await timeFlag('--expires', expires) }),
        ...(rate !== undefined && { ratePerMinute: rate }),
        ...(concurrency !== undefined && { concurrency }),
      };
      printIssued(await withKeys(command, ({ keys }) => keys.create(wanted), configureNew), json);
    });
  example(
    command,
    'contrails keys create --name alice',
    'contrails keys create --name radar --scopes adsb --expires 2030-12-31',
  );
}

function defineList(parent: Command): void {
  const command = parent
    .command('list')
    .description('list all keys, without their secrets')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const keys = await withKeys(command, (services) => services.keys.list());
      if (json) printJson(keys.map(jsonListedKey));
      else printKeys(keys);
    });
  example(command, 'contrails keys list --json');
}

interface UpdateFlags extends Omit<CreateFlags, 'name'> {
  readonly name?: string;
}

function defineUpdate(parent: Command): void {
  const command = parent
    .command('update')
    .description(
      'change name, scopes, expiry or limits of a key, on every server within 5 s; its secret stays',
    )
    .argument('<id>', 'id of the key')
    .option('--name <name>', 'whom or what the key is for')
    .addOption(
      listOption(
        new Option('--scopes <list>', `all that it may do from now on: ${known.all.join(', ')}`),
        known.all,
      ),
    )
    .option('--expires <time>', 'when it stops working, such as 2030-12-31, or never')
    .option('--rate <n>', 'requests per minute', integer(1, 10_000_000))
    .option('--concurrency <n>', 'requests at once', integer(1, 100_000))
    .option('--json', 'print JSON')
    .action(async (text: string, { name, scopes, expires, rate, concurrency, json }: UpdateFlags) => {
      const id = await keyId(text);
      const change: KeyChange = {
        ...(name !== undefined && { name }),
        ...(scopes !== undefined && { scopes: known.parse(scopes) }),
        ...(expires !== undefined && {
          expiresMs: expires === 'never' ? null : await timeFlag('--expires', expires),
        }),
        ...(rate !== undefined && { ratePerMinute: rate }),
        ...(concurrency !== undefined && { concurrency }),
      };
      if (Object.keys(change).length === 0) {
        const { UsageError } = await import('@contrails/runtime/errors');
        throw new UsageError('nothing to change; give --name, --scopes, --expires, --rate or --concurrency');
      }
      const key = await withKeys(command, ({ keys }) => keys.update(id, change));
      if (json) printJson(jsonKey(key));
      else {
        const limits = `${key.ratePerMinute}/min, ${key.concurrency} at once, expires ${shownTime(key.expiresMs)}`;
        print(`${key.id} (${key.name}) ${key.scopes.join(',')}; ${limits}`);
      }
    });
  example(
    command,
    'contrails keys update k3v9x0aa --rate 1200',
    'contrails keys update k3v9x0aa --scopes forecast,research --expires never',
  );
}

function defineRotate(parent: Command): void {
  const command = parent
    .command('rotate')
    .description('give a key a new secret and print it, once; the old one stops within 5 s')
    .argument('<id>', 'id of the key')
    .option('--json', 'print JSON')
    .action(async (text: string, { json }: { json?: boolean }) => {
      const id = await keyId(text);
      printIssued(await withKeys(command, ({ keys }) => keys.rotate(id)), json);
    });
  example(command, 'contrails keys rotate k3v9x0aa');
}

function defineRevoke(parent: Command): void {
  const command = parent
    .command('revoke')
    .description('stop keys for good, on every server within 5 s')
    .argument('<ids...>', 'ids of keys')
    .action(async (texts: string[]) => {
      const ids = await Promise.all(texts.map(keyId));
      await withKeys(command, async ({ keys }) => {
        for (const id of ids) {
          const { name } = await keys.revoke(id);
          print(`${id} (${name}) revoked`);
        }
      });
    });
  example(command, 'contrails keys revoke k3v9x0aa');
}

function defineUsage(parent: Command): void {
  const command = parent
    .command('usage')
    .description('show requests, bytes and compute time by key, day and endpoint')
    .argument('[id]', 'id of a key (default: all keys)')
    .option('--from <day>', 'first day, such as 2030-01-31')
    .option('--to <day>', 'last day')
    .option('--json', 'print JSON')
    .action(
      async (
        text: string | undefined,
        { from, to, json }: { from?: string; to?: string; json?: boolean },
      ) => {
        const query = {
          ...(text !== undefined && { keyId: await keyId(text) }),
          ...(from !== undefined && { fromDay: await day('--from', from) }),
          ...(to !== undefined && { toDay: await day('--to', to) }),
        };
        const { readUsage } = await import('@contrails/platform/keys');
        const rows = await withKeys(command, ({ database }) => readUsage(database, query));
        if (json) printJson(rows.map(jsonUsage));
        else printUsage(rows);
      },
    );
  example(command, 'contrails keys usage', 'contrails keys usage k3v9x0aa --from 2030-01-01 --json');
}

type KeyServices = Awaited<ReturnType<typeof openKeysOnly>>;

async function withKeys<T>(
  command: Command,
  work: (services: KeyServices) => Promise<T>,
  configureData = configureExisting,
): Promise<T> {
  const config = await configureData(command);
  const { openKeysOnly } = await import('@contrails/service/services');
  const services = await openKeysOnly(config);
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

async function day(flag: string, text: string): Promise<string> {
  return isoDate(await timeFlag(flag, text));
}

/** A key is named by its id; a whole key pasted by mistake names it too, and is not repeated in any message. */
async function keyId(text: string): Promise<string> {
  const { parseKeyId } = await import('@contrails/platform/keys');
  const id = parseKeyId(text);
  if (id !== undefined) return id;
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError('that is not the id of a key; "contrails keys list" shows them, such as k3v9x0aa');
}

function printIssued({ key, text }: IssuedKey, json: boolean | undefined): void {
  if (json) {
    printJson({ ...jsonKey(key), key: text });
    return;
  }
  print(text);
  say(`key ${key.id} (${key.name}) with ${key.scopes.join(', ')}; this is the only time its secret is shown`);
}

function printKeys(keys: readonly ListedKey[]): void {
  if (keys.length === 0) {
    say('no keys; make one with: contrails keys create --name NAME');
    return;
  }
  const headings = [
    'id',
    'name',
    'state',
    'scopes',
    'rate',
    'concurrency',
    'created',
    'expires',
    'last used',
  ];
  const rows = keys.map((key) => [
    key.id,
    key.name,
    state(key),
    key.scopes.join(','),
    `${key.ratePerMinute}/min`,
    String(key.concurrency),
    shownTime(key.createdMs),
    shownTime(key.expiresMs),
    key.lastUsedDay ?? '-',
  ]);
  print(table(headings, rows));
}

function state(key: Key): 'active' | 'revoked' | 'expired' {
  if (key.revokedMs !== null) return 'revoked';
  return key.expiresMs !== null && key.expiresMs <= Date.now() ? 'expired' : 'active';
}

function jsonKey(key: Key) {
  return {
    id: key.id,
    name: key.name,
    state: state(key),
    scopes: key.scopes,
    rate_per_minute: key.ratePerMinute,
    concurrency: key.concurrency,
    created: jsonTime(key.createdMs),
    expires: jsonTime(key.expiresMs),
    revoked: jsonTime(key.revokedMs),
  };
}

function jsonListedKey(key: ListedKey) {
  return { ...jsonKey(key), last_used: key.lastUsedDay };
}

function printUsage(rows: readonly StoredUsage[]): void {
  if (rows.length === 0) {
    say('no usage; running servers write theirs every few seconds');
    return;
  }
  const headings = ['key', 'name', 'day', 'endpoint', 'requests', 'bytes', 'compute s'];
  print(
    table(
      headings,
      rows.map((row) => [
        row.keyId,
        row.keyName ?? '-',
        row.day,
        row.endpoint,
        String(row.requests),
        String(row.bytes),
        row.computeSeconds.toFixed(1),
      ]),
    ),
  );
}

function jsonUsage({ keyId, keyName, day, endpoint, requests, bytes, computeSeconds }: StoredUsage) {
  return { key: keyId, name: keyName, day, endpoint, requests, bytes, compute_seconds: computeSeconds };
}
