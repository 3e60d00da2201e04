import { existsSync } from 'node:fs';
import type { Log } from '@contrails/platform/log';
import type { Config, ConfigSources, FlagSetting } from '@contrails/service/config';
import type { Services } from '@contrails/service/services';
import type { Command } from 'commander';
import { say } from './output.ts';

/** The options that every command has. */
interface CommonOptions {
  readonly config?: string;
  readonly data?: string;
  readonly verbose?: boolean;
}

/** Where the settings of a command come from: file, environment and flags. */
export function configSources(command: Command, flags: readonly FlagSetting[] = []): ConfigSources {
  const { config, data } = command.optsWithGlobals<CommonOptions>();
  const dataFlag = data === undefined ? [] : [{ flag: '--data', key: 'data', text: data }];
  return { file: config, environment: process.env, flags: [...dataFlag, ...flags], directory: process.cwd() };
}

/** What a command runs with. */
export async function configure(command: Command, flags: readonly FlagSetting[] = []): Promise<Config> {
  const { loadConfig } = await import('@contrails/service/config');
  const config = loadConfig(configSources(command, flags));
  const louder = command.optsWithGlobals<CommonOptions>().verbose && config.log.level !== 'trace';
  return louder ? { ...config, log: { ...config.log, level: 'debug' } } : config;
}

/** For commands that compute from weather: synthetic weather where none is configured and `--demo` is given. */
export async function configureWeather(command: Command, demo: boolean | undefined): Promise<Config> {
  const config = await configure(command);
  if (!demo) return config;
  const { withDemoWeather } = await import('@contrails/service/demo');
  return withDemoWeather(config);
}

/** For commands that read or change data: a misspelt directory must not become a new installation. */
export async function configureExisting(command: Command): Promise<Config> {
  const config = await configure(command);
  const missing = missingData(config);
  if (missing === undefined) return config;
  const { UsageError } = await import('@contrails/runtime/errors');
  throw new UsageError(
    `the data directory ${missing} does not exist; check --data, CONTRAILS_DATA and "data" in the configuration`,
  );
}

/** For commands that may be the first on a new data directory. */
export async function configureNew(command: Command): Promise<Config> {
  const config = await configure(command);
  const missing = missingData(config);
  if (missing !== undefined)
    say(`${missing} is a new data directory; check --data if you expected data there`);
  return config;
}

/** A directory that somebody named. With another database, a machine needs none to ask for keys and jobs. */
function missingData({ data, database, given }: Config): string | undefined {
  return given.has('data') &&
    database.kind === 'embedded' &&
    data.kind === 'directory' &&
    !existsSync(data.path)
    ? data.path
    : undefined;
}

export async function openLog(config: Config): Promise<Log> {
  const { createLog } = await import('@contrails/platform/log');
  return createLog(config.log);
}

/** Runs a command on the database, store, queue and weather of an installation. */
export async function withServices<T>(
  config: Config,
  work: (services: Services, log: Log) => Promise<T>,
): Promise<T> {
  const { openServices } = await import('@contrails/service/services');
  const log = await openLog(config);
  const services = await openServices(config, log);
  try {
    return await work(services, log);
  } finally {
    await services.close();
  }
}
