import { type Command, Option } from 'commander';
import { byParameter } from '../by-parameter.ts';
import { configure } from '../configure.ts';
import { example } from '../example.ts';
import { say } from '../output.ts';
import { openProgress } from '../progress.ts';
import { weatherOptions } from '../weather-options.ts';
import { writeResult } from '../write-result.ts';

const MODELS = ['sac', 'issr', 'pcr'] as const;
const FORMATS = ['netcdf', 'geojson', 'kml'];
type Model = (typeof MODELS)[number];

/** Options that are no parameters of the endpoint. */
interface OwnOptions {
  readonly output?: string;
  readonly demo?: boolean;
}

export function defineGrid(program: Command): void {
  const grid = program
    .command('grid')
    .description('grids of models, without a server: what GET /v0/grid/{model} answers');
  example(grid, 'contrails grid sac --time 2024-06-12T03 -o sac.nc');
  const descriptions: Readonly<Record<Model, string>> = {
    sac: 'where contrails form (Schmidt-Appleman criterion)',
    issr: 'where air is supersaturated over ice',
    pcr: 'where contrails form and persist',
  };
  for (const model of MODELS) defineModel(grid, model, descriptions[model]);
}

function defineModel(parent: Command, model: Model, description: string): void {
  const command = parent
    .command(model)
    .description(description)
    .requiredOption('--time <time>', 'the instant the grid is for, such as 2024-06-12T03:30Z')
    .option('--flight-level <levels>', 'some of 270, 280, … 440, separated by commas (default: all)')
    .option('--bbox <box>', 'min_lon,min_lat,max_lon,max_lat in degrees (default: the whole globe)')
    .addOption(new Option('--format <format>', 'how it is written (default: netcdf)').choices(FORMATS))
    .option('-o, --output <file>', 'where it is written; - is standard output, which is the default')
    .option('--interiors <flag>', 'polygons: whether they have holes (default: true)')
    .option('--simplify <level>', 'polygons: how much they are simplified, 0 to 10 (default: 3)')
    .option('--convex-hull <flag>', 'polygons: whether they are replaced by their hulls (default: false)');
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

async function run(
  command: Command,
  model: Model,
  { output = '-', demo, ...given }: Record<string, string> & OwnOptions,
): Promise<void> {
  const settings = await configure(command);
  const { computeOffline, withDemoWeather } = await import('@contrails/service/grid');
  const progress = openProgress();
  const tracker = progress.track(`${model} ${given.time}`, 100, '%');
  try {
    const { file, name } = await computeOffline(
      demo ? withDemoWeather(settings) : settings,
      model,
      byParameter(given),
      { onProgress: (share) => tracker.to(100 * share) },
    );
    tracker.end();
    progress.close();
    await writeResult(output, file, name);
    if (output !== '-') say(`${output}: ${file.size} bytes`);
  } finally {
    tracker.end();
    progress.close();
  }
}
