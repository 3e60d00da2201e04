import { readFile } from 'node:fs/promises';
import type { Verification } from '@contrails/service/observations';
import type { Command } from 'commander';
import { configure, openLog } from '../configure.ts';
import { example, timeFlag } from '../flags.ts';
import { print, printJson, say, table } from '../output.ts';
import { writeResult } from '../write-result.ts';

export function defineObserve(program: Command): void {
  const observe = program
    .command('observe')
    .description('contrails in the imagery of geostationary satellites');
  example(
    observe,
    'contrails observe render frame.nc -o frame.png',
    'contrails observe verify --date 2026-01-01',
  );
  defineRender(observe);
  defineVerify(observe);
}

interface RenderFlags {
  readonly output: string;
  readonly l1?: string;
  readonly segments?: string;
}

function defineRender(parent: Command): void {
  const command = parent
    .command('render')
    .description(
      'draw imagery as a colour composite, or an L1 product in grey, with detections and segments on it',
    )
    .argument('<files...>', 'the files of one frame (ABI, AHI or FCI), or one L1 product')
    .requiredOption('-o, --output <file>', 'PNG file, or - for standard output')
    .option('--l1 <file>', 'outline the detections of this L1 product on the imagery')
    .option('--segments <file>', 'draw these L2 segments (JSON)')
    .action(async (files: readonly string[], flags: RenderFlags) => {
      const png = await render(files, flags);
      await writeResult(flags.output, { open: async () => png }, 'frame.png');
    });
  example(
    command,
    'contrails observe render OR_ABI-L2-MCMIPF-M6_G16_s20240671500204_e20240671509512_c20240671509581.nc -o frame.png',
    'contrails observe render frame.nc --l1 l1.nc --segments segments.json -o frame.png',
    'contrails observe render l1.nc -o confidence.png',
  );
}

async function render(files: readonly string[], { l1, segments }: RenderFlags): Promise<Buffer> {
  const [{ readFrame }, { isL1, readL1 }, pictures] = await Promise.all([
    import('@contrails/observations/readers'),
    import('@contrails/observations/l1'),
    import('@contrails/observations/render'),
  ]);
  const { composite, confidencePicture, drawDetections, drawSegments, encodePng } = pictures;
  const [first] = files;
  const product = files.length === 1 && first !== undefined && isL1(first) ? readL1(first) : undefined;
  const image = product ?? readFrame(files);
  const picture = 'stored' in image ? confidencePicture(image) : composite(image);
  if (!('stored' in image) && image.t8 === undefined) {
    say('the 8.5 µm band is missing: the picture is grey; give its file too for the colour composite');
  }
  const detections = l1 === undefined ? product : readL1(l1);
  if (detections !== undefined) {
    await requireSameFrame(image, detections);
    drawDetections(picture, detections);
  }
  if (segments !== undefined) drawSegments(picture, image.grid, await readSegments(segments, image.time));
  return encodePng(picture);
}

interface VerifyFlags {
  readonly date: string;
  readonly satellite?: string;
  readonly json?: boolean;
}

function defineVerify(parent: Command): void {
  const command = parent
    .command('verify')
    .description('contrails that a satellite saw on a day against those of the inventory, by hour and region')
    .requiredOption('--date <date>', 'day, UTC')
    .option('--satellite <name>', 'satellite (default: the configured one)')
    .option('--json', 'print JSON')
    .action(async (flags: VerifyFlags) => {
      const config = await configure(command);
      const { verifyObservations } = await import('@contrails/service/observations');
      const date = new Date(await timeFlag('--date', flags.date)).toISOString().slice(0, 10);
      const found = await verifyObservations(config, await openLog(config), date, flags.satellite);
      if (flags.json) printJson(found);
      else print(shownVerification(found));
    });
  example(
    command,
    'contrails observe verify --date 2026-01-01',
    'contrails observe verify --date 2026-01-01 --json',
  );
}

function shownVerification({ date, satellite, frames, scores, regions, is_synthetic }: Verification): string {
  const km = (metres: number) => (metres / 1000).toFixed(0);
  const share = (value: number | null) => (value === null ? '-' : value.toFixed(2));
  const hours = Map.groupBy(regions, ({ hour }) => hour);
  const rows = Array.from(hours, ([hour, of]) => [
    hour.slice(0, 16),
    String(Math.max(...of.map((one) => one.frames))),
    String(of.length),
    km(of.reduce((sum, { observed_length_m }) => sum + observed_length_m, 0)),
    km(of.reduce((sum, { modelled_length_m }) => sum + modelled_length_m, 0)),
  ]);
  return [
    `${date}, ${satellite}${is_synthetic ? ' (synthetic images)' : ''}: ${frames} frames`,
    `hit rate ${share(scores.hit_rate)}, false-alarm ratio ${share(scores.false_alarm_ratio)} (${scores.hits} hits, ${scores.misses} misses, ${scores.false_alarms} false alarms, ${scores.correct_negatives} correct negatives)`,
    '',
    table(['hour', 'frames', 'regions', 'observed km', 'modelled km'], rows),
  ].join('\n');
}

interface Placed {
  readonly satellite: string;
  readonly time: number;
  readonly grid: {
    readonly rows: number;
    readonly columns: number;
    readonly x0: number;
    readonly y0: number;
  };
}

async function requireSameFrame(image: Placed, product: Placed): Promise<void> {
  const differs = (a: number, b: number) => Math.abs(a - b) > 1e-6;
  if (
    image.satellite === product.satellite &&
    image.time === product.time &&
    image.grid.rows === product.grid.rows &&
    image.grid.columns === product.grid.columns &&
    !differs(image.grid.x0, product.grid.x0) &&
    !differs(image.grid.y0, product.grid.y0)
  ) {
    return;
  }
  const { UsageError } = await import('@contrails/service/errors');
  const shown = ({ satellite, time, grid }: Placed) =>
    `${satellite} ${new Date(time).toISOString()}, ${grid.rows} × ${grid.columns} pixels`;
  throw new UsageError(
    `--l1 belongs to another frame (${shown(product)}) than the imagery (${shown(image)}); give the product of this frame`,
  );
}

/** Segments of a frame as `observe segments --json` prints them; those of other times are left out. */
async function readSegments(path: string, timeMs: number): Promise<{ readonly wkt: string }[]> {
  const { UsageError } = await import('@contrails/service/errors');
  let list: unknown;
  try {
    list = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new UsageError(`--segments: ${path} cannot be read as JSON; give a list of L2 segments`, { cause });
  }
  const isSegment = (item: unknown): item is { readonly wkt: string; readonly time: string } =>
    typeof item === 'object' &&
    item !== null &&
    'wkt' in item &&
    typeof item.wkt === 'string' &&
    'time' in item &&
    typeof item.time === 'string';
  if (!Array.isArray(list) || !list.every(isSegment)) {
    throw new UsageError(
      `--segments: ${path} is not a list of L2 segments with wkt and time; give the answer of L2`,
    );
  }
  return list.filter(({ time }) => Date.parse(time) === timeMs);
}
