import { readFile } from 'node:fs/promises';
import type {
  AttributionScores,
  InstanceCounts,
  InstanceScores,
  PixelScores,
} from '@contrails/observations/score';
import type { Command } from 'commander';
import { example, integer } from '../../flags.ts';
import { print, printJson, publicNames, table } from '../../output.ts';
import { readSegmentFiles, type SegmentFile } from './segment-files.ts';

interface ScoreFlags {
  readonly attributions?: string;
  readonly frame: number;
  readonly json?: boolean;
}

/** What was scored; each part is there if it was asked for. */
interface Scores {
  readonly frames: number;
  readonly pixels?: PixelScores;
  readonly segments?: InstanceScores & InstanceCounts;
  readonly attributions?: AttributionScores;
}

export function defineScore(parent: Command): void {
  const command = parent
    .command('score')
    .description(
      'compare L2 segments with true lines, L1 products with a true mask, and L4 with true flights',
    )
    .argument('<files...>', 'L2 segments (JSON) or L1 products of frames; the last file is the truth')
    .option('--attributions <file>', 'also compare these attributions (output of observe attribute --json)')
    .option('--frame <number>', 'frame of the mask that belongs to the first L1 product', integer(0, 9999), 0)
    .option('--json', 'print JSON')
    .action(async (files: readonly string[], flags: ScoreFlags) => {
      const found = await score(files, flags);
      if (flags.json) printJson(publicNames(found));
      else print(shownScores(found));
    });
  example(
    command,
    'contrails observe score l2_00.json l2_01.json truth_lines.json',
    'contrails observe score l2_*.json truth_lines.json --attributions l4.json --json',
    'contrails observe score l1.nc truth_mask.nc',
  );
}

async function score(files: readonly string[], flags: ScoreFlags): Promise<Scores> {
  const { UsageError } = await import('@contrails/runtime/errors');
  const { isL1 } = await import('@contrails/observations/l1');
  const [predictions, truth] = [files.slice(0, -1), files.at(-1) ?? ''];
  const [first] = predictions;
  if (first === undefined) {
    throw new UsageError(`${truth} is the only file; give predictions, and the truth as the last file`);
  }
  if (!isL1(first)) return scoreSegments(await readSegmentFiles('predictions', predictions), truth, flags);
  if (flags.attributions !== undefined) {
    throw new UsageError('--attributions belongs to segments; give L2 segments instead of L1 products');
  }
  return scorePixels(predictions, truth, flags.frame);
}

interface TruthFrame {
  readonly timeMs: number;
  readonly lines: readonly {
    readonly flight: string;
    readonly observable: boolean;
    readonly angles: readonly (readonly [number, number])[];
  }[];
}

async function scoreSegments(
  frames: readonly SegmentFile[],
  truthPath: string,
  { attributions }: ScoreFlags,
): Promise<Scores> {
  const [{ UsageError }, scores, { fullDisk, isGridName }] = await Promise.all([
    import('@contrails/runtime/errors'),
    import('@contrails/observations/score'),
    import('@contrails/observations/navigation'),
  ]);
  const truth = await readTruth(truthPath);
  const satellite = frames[0]?.satellite ?? '';
  if (!isGridName(satellite)) throw new UsageError(`predictions: the satellite ${satellite} is not known`);
  const grid = fullDisk(satellite);
  const scored = frames.map(({ timeMs, segments }) => {
    const ofFrame = truth.find((frame) => frame.timeMs === timeMs);
    if (ofFrame === undefined) {
      throw new UsageError(
        `${truthPath} has no frame of ${new Date(timeMs).toISOString()}; give the truth of the predictions`,
      );
    }
    return scores.scoreFrame(
      segments.map(({ id, wkt }) => ({ id, ends: scores.segmentEnds(wkt, grid) })),
      ofFrame.lines.map(({ flight, observable, angles }) => ({
        ...{ flight, observable },
        pixels: angles.map(([x, y]) => [(x - grid.x0) / grid.dx, (y - grid.y0) / grid.dy] as const),
      })),
    );
  });
  const counts = scores.poolCounts(scored.map((one) => one.counts));
  const verdicts = scored.flatMap((one) => one.verdicts);
  return {
    frames: frames.length,
    segments: { ...scores.instanceScores(counts), ...counts },
    ...(attributions === undefined
      ? {}
      : { attributions: scores.scoreAttributions(verdicts, await readAssigned(attributions)) }),
  };
}

async function readTruth(path: string): Promise<TruthFrame[]> {
  const frames = await readJson('truth', path);
  const { UsageError } = await import('@contrails/runtime/errors');
  const wrong = () =>
    new UsageError(
      `${path} is not a truth file: a list of frames with time and contrails, each with flight, observable and scan_angle`,
    );
  if (!Array.isArray(frames)) throw wrong();
  return frames.map((frame: { time?: unknown; contrails?: unknown }) => {
    const timeMs = typeof frame?.time === 'string' ? Date.parse(frame.time) : Number.NaN;
    if (Number.isNaN(timeMs) || !Array.isArray(frame.contrails)) throw wrong();
    const lines = frame.contrails.map((line: Record<string, unknown>) => {
      const { flight, observable, scan_angle: angles } = line;
      const isLine = Array.isArray(angles) && angles.length > 1 && angles.every(isPair);
      if (typeof flight !== 'string' || typeof observable !== 'boolean' || !isLine) throw wrong();
      return { flight, observable, angles: angles as (readonly [number, number])[] };
    });
    return { timeMs, lines };
  });
}

function isPair(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((item) => Number.isFinite(item));
}

/** The flight of each segment, from answers of L4. */
async function readAssigned(path: string): Promise<Map<string, string>> {
  const answers = await readJson('--attributions', path);
  const { UsageError } = await import('@contrails/runtime/errors');
  const wrong = () =>
    new UsageError(
      `--attributions: ${path} is not a list of attributions; give the output of "contrails observe attribute --json"`,
    );
  if (!Array.isArray(answers)) throw wrong();
  const assigned = new Map<string, string>();
  for (const { flight, observations } of answers as Record<string, unknown>[]) {
    if (typeof flight !== 'string' || !Array.isArray(observations)) throw wrong();
    for (const { detections } of observations as { detections?: { id: string }[] }[]) {
      for (const { id } of detections ?? []) assigned.set(id, flight);
    }
  }
  return assigned;
}

async function readJson(where: string, path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    const { UsageError } = await import('@contrails/runtime/errors');
    throw new UsageError(`${where}: ${path} cannot be read as JSON; check the file`, { cause });
  }
}

/** L1 products of successive frames against a mask with one image for each frame. */
async function scorePixels(paths: readonly string[], truthPath: string, firstFrame: number): Promise<Scores> {
  const [{ UsageError }, { readL1, readTruthMask }, { pixelScores }, { FRAME_STEP_MS }] = await Promise.all([
    import('@contrails/runtime/errors'),
    import('@contrails/observations/l1'),
    import('@contrails/observations/score'),
    import('@contrails/observations/frame'),
  ]);
  const products = paths.map(readL1).sort((a, b) => a.time - b.time);
  const masks = readTruthMask(truthPath);
  const startMs = products[0]?.time ?? 0;
  const images = products.map(({ stored, time, grid }) => {
    const index = firstFrame + (time - startMs) / FRAME_STEP_MS;
    const truth = masks[index];
    if (truth === undefined) {
      throw new UsageError(
        `${truthPath} has ${masks.length} frames, none at ${index} for ${new Date(time).toISOString()}; check --frame`,
      );
    }
    if (truth.length !== stored.length) {
      throw new UsageError(
        `${truthPath} has ${truth.length} pixels a frame, the product ${grid.rows} × ${grid.columns}; give the mask of this image`,
      );
    }
    return { stored, truth };
  });
  return { frames: images.length, pixels: pixelScores(images) };
}

function shownScores({ frames, pixels, segments, attributions }: Scores): string {
  const share = (value: number | null) => (value === null ? '-' : value.toFixed(3));
  const rows = [
    ...(pixels === undefined
      ? []
      : [
          [
            'pixels, confidence of at least 0.5',
            share(pixels.precision),
            share(pixels.recall),
            `Dice ${share(pixels.dice)}`,
          ],
          ['pixels, all confidences', '-', '-', `AUC-PR ${share(pixels.aucPr)}`],
        ]),
    ...(segments === undefined
      ? []
      : [
          [
            'segments',
            share(segments.precision),
            share(segments.recall),
            `${segments.matched} of ${segments.predicted} right, ${segments.hit} of ${segments.observable} lines found`,
          ],
          ['segments, by length', share(segments.lengthPrecision), share(segments.lengthRecall), ''],
        ]),
    ...(attributions === undefined
      ? []
      : [
          [
            'attributions',
            share(attributions.precision),
            share(attributions.recall),
            `${attributions.right} of ${attributions.attributable} right, ${attributions.wrong} wrong, ${attributions.noContrail} without a contrail`,
          ],
        ]),
  ];
  return table([`${frames} frames`, 'precision', 'recall', 'counts'], rows);
}
