/** What a GPU reaches, measured with programs that do nothing else. */
import { type GpuDevice, USAGE } from '@contrails/physics/gpu';

interface GpuThroughput {
  /** Read and written by a copy [s⁻¹]. */
  readonly bytesPerS: number;
  /** Pairs of an exponential and a logarithm in single precision [s⁻¹]. */
  readonly pairsPerS: number;
}

const NUMBERS = 2 ** 24;
const GROUP = 256;
const PAIRS = 16;
/** A measurement takes at least this long, so what starts and ends it does not count. */
const MIN_MS = 20;
const MAX_REPEATS = 4096;

/** Takes a moment; the device is busy meanwhile. */
export async function measureGpu(device: GpuDevice): Promise<GpuThroughput> {
  const buffer = device.createBuffer({ size: 4 * NUMBERS, usage: USAGE.storage });
  try {
    const copies = await perSecond(device, buffer, NUMBERS, 'numbers[k] = numbers[k] + 1.0;');
    // Fewer invocations: a program that imitates a GPU takes long for them.
    const computed = await perSecond(
      device,
      buffer,
      NUMBERS / 16,
      `var x = numbers[k] + 1.5;
      for (var pair = 0; pair < ${PAIRS}; pair++) { x = log(exp(x * 0.5) + 1.0); }
      numbers[k] = x;`,
    );
    return { bytesPerS: 8 * copies, pairsPerS: PAIRS * computed };
  } finally {
    buffer.destroy();
  }
}

/** Invocations of a program in a second. */
async function perSecond(
  device: GpuDevice,
  buffer: ReturnType<GpuDevice['createBuffer']>,
  count: number,
  body: string,
): Promise<number> {
  const code = `@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
@compute @workgroup_size(${GROUP})
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let k = id.x + id.y * groups.x * ${GROUP}u;
  ${body}
}`;
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [{ binding: 0, resource: { buffer } }],
  });
  const groups = count / GROUP;
  const run = async (repeats: number) => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    const across = Math.min(groups, 2 ** 14);
    for (let k = 0; k < repeats; k++) pass.dispatchWorkgroups(across, groups / across);
    pass.end();
    const started = performance.now();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return performance.now() - started;
  };
  let repeats = 1;
  // The first run also compiles the program.
  await run(repeats);
  let ms = await run(repeats);
  while (ms < MIN_MS && repeats < MAX_REPEATS) {
    repeats *= 4;
    ms = await run(repeats);
  }
  return (count * repeats) / (ms / 1000);
}
