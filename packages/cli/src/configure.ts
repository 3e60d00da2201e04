import type { Config, ConfigSources, FlagSetting } from '@contrails/service/config';
import type { Log } from '@contrails/service/log';
import type { Command } from 'commander';

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

export async function openLog(config: Config): Promise<Log> {
  const { createLog } = await import('@contrails/service/log');
  return createLog(config.log);
}
