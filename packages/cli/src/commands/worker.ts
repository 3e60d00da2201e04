import type { Command } from 'commander';
import { configure, openLog } from '../configure.ts';
import { example } from '../flags.ts';
import { print } from '../output.ts';

export function defineWorker(program: Command): void {
  const command = program
    .command('worker')
    .description('run background jobs only: any number of workers, on any number of machines')
    .action(async () => {
      const config = await configure(command);
      const { runWorker } = await import('@contrails/service/worker');
      await runWorker(config, await openLog(config), print);
    });
  example(command, 'contrails worker --config contrails.yaml');
}
