import { basename } from 'node:path';
import type { Detector } from '@contrails/observations/detect';
import type { Config } from '@contrails/service/config';
import { type Command, Option } from 'commander';
import { configure } from '../../configure.ts';
import { example } from '../../flags.ts';
import { say } from '../../output.ts';
import { writeResult } from '../../write-result.ts';

const DETECTORS = ['ridge', 'ridge-long', 'onnx', 'cda'] as const;

interface DetectionSettings {
  readonly detector: 'ridge' | 'ridge-long' | 'onnx';
  readonly model: string | undefined;
  readonly skipsStationary: boolean;
  readonly maxViewZenithDeg: number;
}

interface DetectFlags {
  readonly output: string;
  readonly detector?: (typeof DETECTORS)[number];
  readonly model?: string;
  readonly weights?: string;
  readonly earlier?: readonly string[];
  readonly partial?: boolean;
}

export function defineDetect(parent: Command): void {
  const command = parent
    .command('detect')
    .description('find contrails in the imagery of one frame and write the confidence of every pixel (L1)')
    .argument('<files...>', 'the files of one frame: ABI, AHI or FCI')
    .requiredOption('-o, --output <file>', 'netCDF file, or - for standard output')
    .addOption(
      new Option('--detector <name>', 'detector (default: the configured one, or ridge)').choices(DETECTORS),
    )
    .option('--model <directory>', 'model.onnx and manifest.json, for the detector onnx')
    .option(
      '--earlier <files...>',
      'files of earlier frames: lines that stand still are left out, and models may read them',
    )
    .option('--partial', 'take FCI frames of which only some chunks are there, such as those of a region')
    .option('--weights <file>', 'weights of the detector ridge (JSON) instead of its own')
    .action(async (files: readonly string[], flags: DetectFlags) => {
      const config = await configure(command);
      const bytes = await detect(config, files, flags);
      await writeResult(flags.output, { open: async () => bytes }, 'l1.nc');
    });
  example(
    command,
    'contrails observe detect OR_ABI-L2-MCMIPF-M6_G16_s20240671500204_e20240671509512_c20240671509581.nc -o l1.nc',
    'contrails observe detect HS_H09_20240307_1500_B1[45]_FLDK_R20_S??10.DAT.bz2 -o l1.nc',
    'contrails observe detect frame.nc --detector onnx --model models/unet -o l1.nc',
  );
}

async function detect(config: Config, files: readonly string[], flags: DetectFlags): Promise<Buffer> {
  const [
    { observationRules },
    { groupFrames, parseFileName, readFrame },
    { encodeL1 },
    { storedConfidence },
    { openCompute },
  ] = await Promise.all([
    import('@contrails/service/observations/config'),
    import('@contrails/observations/readers'),
    import('@contrails/observations/l1'),
    import('@contrails/observations/segments'),
    import('@contrails/runtime/compute'),
  ]);
  const settings = observationRules(config.observations);
  const { maxViewZenithDeg, licence } = settings;
  const detector = await openDetector(settings, flags);
  const read = (paths: readonly string[]) =>
    readFrame(paths, { maxViewZenithDeg, now: Date.now(), isPartial: flags.partial === true });
  const frame = read(files);
  // A file that is not named after a frame holds a whole one.
  const whole = flags.earlier?.filter((path) => parseFileName(path) === undefined) ?? [];
  const earlier = [
    ...groupFrames(flags.earlier ?? []).map(({ paths }) => paths),
    ...whole.map((path) => [path]),
  ];
  const { threads, heap_mib: heapMb } = config.workers;
  const compute = openCompute({ threads, maxQueue: Number.MAX_SAFE_INTEGER, heapMb });
  try {
    const before = earlier.map(read);
    const { confidence, valid, stationary } = await detector.detect(frame, before, { compute });
    // A model fails without the frames that it needs; the test of the others is left out.
    const isUsed = stationary !== undefined || nameOf(settings, flags) === 'onnx';
    const stored = storedConfidence(confidence, valid);
    const [used, likely] = [countFrom(valid, 1), countFrom(confidence, LIKELY)];
    const time = new Date(frame.time).toISOString().slice(0, 16);
    say(`${frame.satellite} ${time}Z: ${likely} of ${used} pixels with a confidence of at least ${LIKELY}`);
    if (stationary !== undefined) say(`${stationary} lines stand still and are left out`);
    else if (before.length > 0 && !isUsed) {
      const needed = detector.earlierMs.map((ms) => new Date(frame.time - ms).toISOString().slice(11, 16));
      say(
        needed.length === 0
          ? `--earlier is not used: ${detector.name} reads one frame`
          : `--earlier is not used: the frames of ${needed.join(' and ')} on the same grid are needed`,
      );
    }
    const chunks = await encodeL1(
      { ...frame, stored },
      {
        instrument: frame.instrument ?? 'unknown',
        detector: `${detector.name} ${detector.version}`,
        detectorWeights: detector.weightsHash,
        inputFiles: files.map((file) => basename(file)),
        earlierFiles: isUsed ? (flags.earlier ?? []).map((file) => basename(file)) : [],
        ...{ maxViewZenithDeg, licence },
        createdMs: Date.now(),
        history: 'contrails observe detect',
      },
    );
    return Buffer.concat(chunks);
  } finally {
    await compute.close();
  }
}

const LIKELY = 0.5;

function countFrom(values: Float32Array | Uint8Array, min: number): number {
  let count = 0;
  for (const value of values) if (value >= min) count++;
  return count;
}

function nameOf(
  { detector }: Pick<DetectionSettings, 'detector'>,
  flags: DetectFlags,
): (typeof DETECTORS)[number] {
  return flags.detector ?? (flags.model === undefined ? detector : 'onnx');
}

/** A model that cannot be used is an error here: a user who names it wants its results. */
async function openDetector(settings: DetectionSettings, flags: DetectFlags): Promise<Detector> {
  const { cdaDetector, onnxDetector, parseWeights, ridgeDetector, ridgeLongDetector } = await import(
    '@contrails/observations/detect'
  );
  const { UsageError } = await import('@contrails/runtime/errors');
  const { maxViewZenithDeg, skipsStationary } = settings;
  const name = nameOf(settings, flags);
  if (name !== 'ridge' && flags.weights !== undefined) {
    throw new UsageError(`--weights belongs to the detector ridge, not to ${name}; leave it out`);
  }
  if (name !== 'onnx' && flags.model !== undefined) {
    throw new UsageError(`--model belongs to the detector onnx, not to ${name}; leave it out`);
  }
  if (name === 'cda') return cdaDetector({ maxViewZenithDeg });
  if (name === 'ridge-long') return ridgeLongDetector({ maxViewZenithDeg, skipsStationary });
  if (name === 'onnx') {
    const model = flags.model ?? settings.model;
    if (model === undefined) throw new UsageError('--detector onnx needs a model; give --model DIRECTORY');
    return onnxDetector(model, maxViewZenithDeg);
  }
  if (flags.weights === undefined) return ridgeDetector({ maxViewZenithDeg, skipsStationary });
  const { readFile } = await import('node:fs/promises');
  const text = await readFile(flags.weights, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`--weights: ${flags.weights} cannot be read (${cause.code}); check the path`, {
      cause,
    });
  });
  return ridgeDetector({ maxViewZenithDeg, skipsStationary, weights: parseWeights(text, flags.weights) });
}
