import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { defineAdsb } from './commands/adsb/index.ts';
import { defineBackup, defineMigrate, defineRestore } from './commands/archive.ts';
import { defineCompletion } from './commands/completion.ts';
import { defineDoctor } from './commands/doctor.ts';
import { defineFlights } from './commands/flights.ts';
import { defineForecast } from './commands/forecast.ts';
import { defineGrid } from './commands/grid.ts';
import { defineInit } from './commands/init.ts';
import { defineInventory } from './commands/inventory.ts';
import { defineJobs } from './commands/jobs.ts';
import { defineKeys } from './commands/keys.ts';
import { defineMet } from './commands/met.ts';
import { defineMrv } from './commands/mrv.ts';
import { defineObserve } from './commands/observe/index.ts';
import { definePlan } from './commands/plan.ts';
import { defineServe } from './commands/serve.ts';
import { defineTrajectory } from './commands/trajectory.ts';
import { defineWorker } from './commands/worker.ts';
import { example } from './flags.ts';

/** The tree of commands. Each command loads what it runs only when it runs, so that help and completion are quick. */
export function createProgram(): Command {
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
  for (const define of [
    defineInit,
    defineServe,
    defineWorker,
    defineTrajectory,
    definePlan,
    defineFlights,
    defineGrid,
    defineForecast,
    defineMet,
    defineAdsb,
    defineInventory,
    defineMrv,
    defineObserve,
    defineJobs,
    defineKeys,
    defineBackup,
    defineRestore,
    defineMigrate,
    defineDoctor,
    defineCompletion,
  ]) {
    define(program);
  }
  return program;
}
