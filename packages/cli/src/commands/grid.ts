import { Readable } from 'node:stream';
import { CLIMATE_OPTIONS } from '@contrails/engine/flights/climate-options';
import type { OptionEntry } from '@contrails/engine/options/entry';
import type { ArchiveOutcome } from '@contrails/service/forecast';
import { type Command, Option } from 'commander';
import { configureWeather, openLog } from '../configure.ts';
import { withEngine } from '../engine.ts';
import { byParameter, collect, example, optionOf, timeFlag, weatherOptions } from '../flags.ts';
import { jsonTime, print, printJson, say, shownTime, table } from '../output.ts';
import { openProgress } from '../progress.ts';
import { writeResult } from '../write-result.ts';

const MODELS = ['sac', 'issr', 'pcr'] as const;
const FORMATS = ['netcdf', 'geojson', 'kml'];
type Model = (typeof MODELS)[number];

/** Options that are not parameters of the endpoint. */
interface OwnOptions {
  readonly output?: string;
  readonly demo?: boolean;
}

export function defineGrid(program: Command): void {
  const grid = program
    .command('grid')
    .description('grids of models, without a server: what GET /v0/grid/{model} returns');
  example(grid, 'contrails grid sac --time 2024-06-12T03 -o sac.nc');
  const descriptions: Readonly<Record<Model, string>> = {
    sac: 'where contrails form (Schmidt-Appleman criterion)',
    issr: 'where air is supersaturated over ice',
    pcr: 'where contrails form and persist',
  };
  for (const model of MODELS) defineModel(grid, model, descriptions[model]);
  defineAccf(grid);
  defineCocip(grid);
  definePublish(grid);
}

function defineModel(parent: Command, model: Model, description: string): void {
  const command = gridOptions(parent.command(model).description(description));
  command.option('--buffer <cells>', 'cells that regions are widened by, 0 to 40 (default: 0)');
  if (model !== 'issr') {
    command.option('--engine-efficiency <number>', 'overall efficiency of the engine (default: 0.3)');
  }
  weatherOptions(command).action((options: Record<string, string> & OwnOptions) =>
    run(command, model, options),
  );
  example(
    command,
    `contrails grid ${model} --time 2024-06-12T03 --demo -o ${model}.nc`,
    `contrails grid ${model} --time 2024-06-12T03 --bbox=-60,30,10,70 --flight-level 350 --format geojson --demo`,
  );
}

function defineAccf(parent: Command): void {
  const command = gridOptions(
    parent
      .command('accf')
      .description(
        'climate change functions of NOx, water vapour, contrails and CO2; never add them to cocip',
      ),
  )
    .option('--variables <names>', 'netCDF: some of its variables, separated by commas (default: all)')
    .option('--threshold <number>', 'polygons: merged response in K per kg of fuel that their cells reach')
    .option(
      '--engine-efficiency <number>',
      'overall efficiency of the engine, with --pcfa sac (default: 0.3)',
    );
  for (const [name, entry] of Object.entries<OptionEntry>(CLIMATE_OPTIONS))
    if (entry.models?.includes('accf') === true) command.addOption(optionOf(name, entry));
  weatherOptions(command, 'accf').action((options: Record<string, string> & OwnOptions) =>
    run(command, 'accf', options),
  );
  example(
    command,
    'contrails grid accf --time 2024-06-12T03 --bbox=-60,30,10,70 --flight-level 350 --demo -o accf.nc',
    'contrails grid accf --time 2024-06-12T03 --flight-level 350 --format geojson --threshold 1e-14 --demo',
  );
}

function defineCocip(parent: Command): void {
  const command = gridOptions(
    parent.command('cocip').description('how much contrails warm, computed here and now (CoCiP)'),
  )
    .requiredOption('--aircraft-type <type>', 'aircraft that crosses every cell, such as B738')
    .option('--engine-uid <uid>', 'its engine (default: the most common one of the type)')
    .option(
      '--threshold <number>',
      'polygons: energy forcing in J/m, or what --units says, that their cells reach (default: 1e8)',
    )
    .addOption(
      new Option('--units <unit>', 'what cells hold (default: ef_per_m)').choices([
        'ef_per_m',
        'j_per_m',
        'co2e_kg_per_km',
        'cost_per_nm',
      ]),
    )
    .option('--carbon-price <price>', 'price of a tonne of CO2e, for cost_per_nm (default: 50)')
    .addOption(
      new Option('--horizon <years>', 'years of the CO2e (default: 100)').choices(['20', '50', '100']),
    )
    .addOption(
      new Option('--cooling <rule>', 'what cooling contrails cost (default: ignore)').choices([
        'ignore',
        'credit',
        'avoid',
      ]),
    )
    .option('--buffer <cells>', 'maximum over so many steps of cells, 0 to 40 (default: 0)')
    .option('--neighbourhood-km <km>', 'distance within which cells count, 0 to 500 (default: 0)')
    .addOption(
      new Option('--neighbourhood <kind>', 'what they are made into (default: max)').choices(['max', 'mean']),
    )
    .option('--dt-integration-minutes <minutes>', 'time step of the model, 1 to 60 (default: 5)')
    .option('--max-age-hours <hours>', 'longest life of a contrail, up to 24 (default: 12)')
    .option('--azimuth <degrees>', 'direction of flight, clockwise from north (default: mean over all)')
    .addOption(new Option('--fuel <fuel>', 'fuel (default: JetA)').choices(['JetA', 'SAF']))
    .option('--saf-blend-pct <percent>', 'share of sustainable fuel, with --fuel SAF')
    .option('--aircraft-mass <kg>', 'mass in every cell (default: that of nominal cruise)');
  weatherOptions(command).action((options: Record<string, string> & OwnOptions) =>
    run(command, 'cocip', options),
  );
  example(
    command,
    'contrails grid cocip --time 2024-06-12T03 --aircraft-type B738 --bbox=-60,30,10,70 --demo -o cocip.nc',
    'contrails grid cocip --time 2024-06-12T03 --aircraft-type A320 --flight-level 350 --format geojson --demo',
  );
}

interface PublishFlags {
  readonly from: string;
  readonly to: string;
  readonly aircraftType?: readonly string[];
  readonly metSource?: string;
  readonly demo?: boolean;
  readonly json?: boolean;
}

function definePublish(parent: Command): void {
  const publish = parent
    .command('publish')
    .description('compute grids of the past and store them, so a server has them');
  const command = publish
    .command('cocip')
    .description('contrail grids of the globe from reanalysis, for every hour; goes on where it stopped')
    .requiredOption('--from <time>', 'first hour, such as 2024-06-12T00')
    .requiredOption('--to <time>', 'last hour, which is published too')
    .option('--aircraft-type <type>', 'only this type; may be repeated (forecast.aircraft_types)', collect)
    .option('--met-source <name>', 'weather source (default: the best reanalysis of each hour)')
    .option('--demo', 'synthetic weather on a coarse grid where no source is configured')
    .option('--json', 'print JSON')
    .action(async (flags: PublishFlags) => {
      const config = await configureWeather(command, flags.demo);
      const [{ publishArchive }, { openServices }, { watchJobs }] = await Promise.all([
        import('@contrails/service/forecast'),
        import('@contrails/service/services'),
        import('../watch-jobs.ts'),
      ]);
      const request = {
        fromMs: await timeFlag('--from', flags.from),
        toMs: await timeFlag('--to', flags.to),
        ...(flags.aircraftType && { types: flags.aircraftType }),
        ...(flags.metSource && { source: flags.metSource }),
      };
      const outcome = await publishArchive(openServices, config, await openLog(config), request, watchJobs);
      printArchive(outcome, flags.json === true);
      if (outcome.failed.length > 0 || outcome.tasks === 0) process.exitCode = 1;
    });
  const usage = 'contrails grid publish cocip --from 2024-06-12T00 --to 2024-06-12T23 --aircraft-type B738';
  example(publish, usage);
  example(command, usage, 'contrails grid publish cocip --from 2024-06-12T00 --to 2024-06-12T02 --demo');
}

function printArchive(
  { tasks, publishedBefore, done, failed, missingHours }: ArchiveOutcome,
  json: boolean,
): void {
  if (json) {
    printJson({
      parts: tasks,
      published_before: publishedBefore,
      done,
      failed: failed.map(({ id, state, payload, error }) => ({ id, state, payload, error })),
      missing_hours: missingHours.map(jsonTime),
    });
    return;
  }
  const counts = [tasks, publishedBefore, done, failed.length, missingHours.length];
  print(table(['tasks', 'before', 'done', 'failed', 'hours without reanalysis'], [counts.map(String)]));
  for (const { id, error } of failed) say(`${id}: ${error ?? 'cancelled'}`);
  const [first] = missingHours;
  if (first === undefined) return;
  say(
    `contrails: warning: no reanalysis has ${missingHours.length} of the hours, from ${shownTime(first)} on, and the 12 hours after them for the whole globe; "contrails met list" shows what there is`,
  );
}

/** Which cells, when, and how they are written. */
function gridOptions(command: Command): Command {
  return command
    .requiredOption('--time <time>', 'the instant the grid is for, such as 2024-06-12T03:30Z')
    .option('--flight-level <levels>', 'some of 270, 280, … 440, separated by commas (default: all)')
    .option('--bbox <box>', 'min_lon,min_lat,max_lon,max_lat in degrees (default: the whole globe)')
    .addOption(new Option('--format <format>', 'how it is written (default: netcdf)').choices(FORMATS))
    .addOption(
      new Option(
        '--layout <layout>',
        'netCDF: cf for time, level, latitude, longitude, as GDAL and QGIS expect (default: default)',
      ).choices(['default', 'cf']),
    )
    .option('-o, --output <file>', 'where it is written; - is standard output, which is the default')
    .option('--interiors <flag>', 'polygons: whether they have holes (default: true)')
    .option('--simplify <level>', 'polygons: how much they are simplified, 0 to 10 (default: 3)')
    .option('--convex-hull <flag>', 'polygons: whether they are replaced by their hulls (default: false)');
}

async function run(
  command: Command,
  model: Model | 'accf' | 'cocip',
  { output = '-', demo, ...given }: Record<string, string> & OwnOptions,
): Promise<void> {
  const config = await configureWeather(command, demo);
  const progress = openProgress();
  const tracker = progress.track(`${model} ${given.time}`, 100, '%');
  try {
    const { chunks, name, warnings } = await withEngine(config, (engine) =>
      engine
        .grid(model, byParameter(given), { onProgress: (share) => tracker.to(100 * share) })
        .catch(async (error: unknown) => {
          throw await commandError(error, model);
        }),
    );
    tracker.end();
    progress.close();
    await writeResult(output, { open: async () => Readable.from(chunks, { objectMode: false }) }, name);
    for (const warning of warnings) say(`contrails: warning: ${warning}`);
    if (output !== '-') say(`${output}: ${chunks.reduce((sum, { length }) => sum + length, 0)} bytes`);
  } finally {
    tracker.end();
    progress.close();
  }
}

/** What a contrail grid cannot be computed for is up to its flags; the area of the others may be half covered. */
async function commandError(error: unknown, model: Model | 'accf' | 'cocip'): Promise<unknown> {
  const [{ asCommandError }, { UsageError, ValidationError }, { explained }] = await Promise.all([
    import('@contrails/engine/weather/errors'),
    import('@contrails/runtime/errors'),
    import('../engine.ts'),
  ]);
  if (!(error instanceof ValidationError)) return asCommandError(error);
  return model === 'cocip' ? new UsageError(error.message, { cause: error }) : explained(error);
}
