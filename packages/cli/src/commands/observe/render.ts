import type { Command } from 'commander';
import { example } from '../../flags.ts';
import { say } from '../../output.ts';
import { writeResult } from '../../write-result.ts';
import { readSegmentList } from './segment-files.ts';

interface RenderFlags {
  readonly output: string;
  readonly l1?: string;
  readonly segments?: string;
}

export function defineRender(parent: Command): void {
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
  if (segments !== undefined) {
    const list = await readSegmentList('--segments', segments, ['wkt', 'time']);
    drawSegments(
      picture,
      image.grid,
      list.filter(({ time }) => Date.parse(time) === image.time),
    );
  }
  return encodePng(picture);
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
  const { UsageError } = await import('@contrails/runtime/errors');
  const shown = ({ satellite, time, grid }: Placed) =>
    `${satellite} ${new Date(time).toISOString()}, ${grid.rows} × ${grid.columns} pixels`;
  throw new UsageError(
    `--l1 belongs to another frame (${shown(product)}) than the imagery (${shown(image)}); give the product of this frame`,
  );
}
