import type { Command } from 'commander';
import { configure, openLog } from '../configure.ts';
import { example } from '../flags.ts';
import { print } from '../output.ts';

interface ServeFlags {
  readonly demo?: boolean;
  readonly workers: boolean;
  readonly host?: string;
  readonly port?: string;
}

export function defineServe(program: Command): void {
  const command = program
    .command('serve')
    .description('run the HTTP service and, by default, the background workers')
    .option(
      '--demo',
      'make a demonstration key and print how to try the service; the log has warnings only, unless log.level is set',
    )
    .option('--no-workers', 'serve only; leave background jobs to "contrails worker"')
    .option('--host <address>', 'address to listen on (server.host)')
    .option('--port <port>', 'port to listen on, 0 picks a free one (server.port)')
    .action(async ({ demo = false, workers, host, port }: ServeFlags) => {
      const config = await configure(command, [
        ...(host === undefined ? [] : [{ flag: '--host', key: 'server.host', text: host }]),
        ...(port === undefined ? [] : [{ flag: '--port', key: 'server.port', text: port }]),
      ]);
      const { serve } = await import('@contrails/service/serve');
      const isQuiet = demo && !config.given.has('log.level') && config.log.level === 'info';
      const log = await openLog(isQuiet ? { ...config, log: { ...config.log, level: 'warn' } } : config);
      await serve(config, log, { demo, workers, announce: print });
    });
  example(
    command,
    'contrails serve --demo',
    'contrails serve --data /srv/contrails --host 0.0.0.0 --port 8080',
  );
}
