import { styleText } from 'node:util';
import type { Finding, repair } from '@contrails/service/doctor';
import type { Command } from 'commander';
import { configSources, configure, openLog } from '../configure.ts';
import { example } from '../flags.ts';
import { print, printJson, say } from '../output.ts';

export function defineDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description(
      'check configuration, store, database, memory, disk and clock; suggest a remedy for each finding',
    )
    .option('--repair', 'have stored products that are missing or damaged computed again, then check')
    .option('--json', 'print JSON')
    .action(async ({ repair: isRepair, json }: { repair?: boolean; json?: boolean }) => {
      const { examine, repair: repairNow } = await import('@contrails/service/doctor');
      if (isRepair) {
        const config = await configure(command);
        say(shownRepair(await repairNow(config, await openLog(config))));
      }
      const findings = await examine(configSources(command));
      if (json) printJson(findings);
      else for (const finding of findings) print(shownFinding(finding));
      if (findings.some(({ state }) => state === 'fail')) process.exitCode = 1;
    });
  example(command, 'contrails doctor', 'contrails doctor --config contrails.yaml --json');
}

function shownRepair({ lost, planned }: Awaited<ReturnType<typeof repair>>): string {
  if (lost === 0) return 'no product is lost';
  const done = `${planned} of ${lost} lost products are planned again; a worker computes them`;
  if (planned === lost) return done;
  return `${done}. The others were planned within this hour, or are reanalysis, which requests and "contrails grid publish" compute`;
}

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function shownFinding({ check, state, message, remedy }: Finding): string {
  const head = `${styleText(colours[state], state.padEnd(4))}  ${check.padEnd(13)}  `;
  const indent = `\n${' '.repeat(21)}`;
  const lines = message.replaceAll('\n', indent);
  return remedy === undefined ? `${head}${lines}` : `${head}${lines}${indent}→ ${remedy}`;
}
