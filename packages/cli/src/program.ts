import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { example } from './flags.ts';

type Define = (program: Command) => void;

/** The commands in the order of the help; each is loaded when it is named or listed. */
const COMMANDS: Readonly<Record<string, () => Promise<Define>>> = {
  init: async () => (await import('./commands/init.ts')).defineInit,
  serve: async () => (await import('./commands/serve.ts')).defineServe,
  worker: async () => (await import('./commands/worker.ts')).defineWorker,
  trajectory: async () => (await import('./commands/trajectory.ts')).defineTrajectory,
  plan: async () => (await import('./commands/plan.ts')).definePlan,
  flights: async () => (await import('./commands/flights.ts')).defineFlights,
  replay: async () => (await import('./commands/replay.ts')).defineReplay,
  grid: async () => (await import('./commands/grid.ts')).defineGrid,
  forecast: async () => (await import('./commands/forecast.ts')).defineForecast,
  met: async () => (await import('./commands/met.ts')).defineMet,
  adsb: async () => (await import('./commands/adsb/index.ts')).defineAdsb,
  inventory: async () => (await import('./commands/inventory.ts')).defineInventory,
  live: async () => (await import('./commands/live.ts')).defineLive,
  mrv: async () => (await import('./commands/mrv.ts')).defineMrv,
  observe: async () => (await import('./commands/observe/index.ts')).defineObserve,
  jobs: async () => (await import('./commands/jobs.ts')).defineJobs,
  keys: async () => (await import('./commands/keys.ts')).defineKeys,
  backup: async () => (await import('./commands/archive.ts')).defineBackup,
  restore: async () => (await import('./commands/archive.ts')).defineRestore,
  migrate: async () => (await import('./commands/archive.ts')).defineMigrate,
  doctor: async () => (await import('./commands/doctor.ts')).defineDoctor,
  completion: async () => (await import('./commands/completion.ts')).defineCompletion,
};

/** The tree of commands: of a command line only the command that it names, where it names one. */
export async function createProgram(args: readonly string[] = []): Promise<Command> {
  const program = new Command('contrails')
    .description('Contrail modelling, forecast, observation and inventory service')
    .version(manifest.version)
    .option('--config <file>', 'configuration file (default: contrails.yaml, where it exists)')
    .option('--data <dir>', 'data directory, or s3://bucket/prefix (default: ./data)')
    .option('--verbose', 'log more, and show the stack trace of an error')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({ showGlobalOptions: true });
  example(program, 'contrails serve --demo');
  for (const define of await Promise.all(neededFor(args).map((load) => load()))) define(program);
  return program;
}

/** Help, completion and suggestions need all commands. */
function neededFor(args: readonly string[]): (() => Promise<Define>)[] {
  const named = args.find((arg, i) => !arg.startsWith('-') && !/^--(config|data)$/.test(args[i - 1] ?? ''));
  if (named === undefined && args.some((arg) => arg === '--version' || arg === '-V')) return [];
  const load = named === undefined || named === 'completion' ? undefined : COMMANDS[named];
  return load === undefined ? Object.values(COMMANDS) : [load];
}
