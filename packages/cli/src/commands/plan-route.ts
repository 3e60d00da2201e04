import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { example } from '../flags.ts';
import { print, say, table } from '../output.ts';
import { writeResult } from '../write-result.ts';

interface RouteOptions {
  readonly fields: string;
  readonly json?: boolean;
  readonly output?: string;
}

/** Figures of one route as `solveGivenRoute` returns them. */
interface Figures {
  readonly cost: number;
  readonly fuel_kg: number;
  readonly flight_time_s: number;
  readonly paid_j: number;
}
type Solution = Readonly<Record<'optimum' | 'wind_optimal' | 'great_circle', Figures | null>>;

export function definePlanRoute(parent: Command): void {
  const command = parent
    .command('route')
    .description(
      'the cheapest way across, up and down between two points, in winds and contrails of your own',
    )
    .requiredOption(
      '--fields <file>',
      'JSON with ends, levels, prices, wind and contrails; - reads standard input',
    )
    .option('--json', 'JSON on a terminal too, where a table is written otherwise')
    .addOption(new Option('-o, --output <file>', 'where the JSON is written'))
    .action(run);
  example(command, 'contrails plan route --fields fields.json');
}

async function run({ fields, json, output }: RouteOptions): Promise<void> {
  const { readGivenRoute, solveGivenRoute } = await import('@contrails/physics/routing');
  const solution = solveGivenRoute(await refusing(fields, readGivenRoute));
  const text = `${JSON.stringify(solution)}\n`;
  if (output !== undefined && output !== '-') {
    await writeResult(output, { open: async () => Buffer.from(text) }, output);
    say(`${output} is written`);
  } else if (process.stdout.isTTY && json !== true && output === undefined) {
    printSolution(solution as unknown as Solution);
  } else process.stdout.write(text);
}

/** What a document says, or the error that names the file. */
async function refusing<T>(file: string, read: (document: unknown) => T): Promise<T> {
  try {
    return read(JSON.parse(await readFile(file === '-' ? '/dev/stdin' : file, 'utf8')));
  } catch (error) {
    const { UsageError } = await import('@contrails/runtime/errors');
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${file} cannot be used: ${reason}`, { cause: error });
  }
}

function printSolution({ optimum, wind_optimal, great_circle }: Solution): void {
  const rows = Object.entries({ great_circle, wind_optimal, optimum }).map(([name, figures]) => [
    name.replaceAll('_', ' '),
    ...(figures === null
      ? ['no way', '', '', '']
      : [
          figures.cost.toFixed(0),
          `${figures.fuel_kg.toFixed(0)} kg`,
          `${(figures.flight_time_s / 60).toFixed(1)} min`,
          figures.paid_j.toExponential(2),
        ]),
  ]);
  print(table(['route', 'cost', 'fuel', 'time', 'paid ef [J]'], rows));
}
