/** Runs formulas on a GPU that is a program, row by row. */
import { WGSL_FUNCTIONS } from '../../src/vector/wgsl/math.ts';
import { type GpuDevice, MAP_READ, USAGE } from '../../src/vector/wgsl/web-gpu.ts';

export interface RowShader {
  /** Statements over variables of these names. */
  readonly statements: string;
  readonly columns: readonly string[];
  readonly parameters?: Float32Array;
  readonly records?: Float32Array;
  /** Functions that statements call. */
  readonly functions?: string;
}

/** Runs statements over rows of columns, and returns the columns after them. */
export async function runRows(
  device: GpuDevice,
  { statements, columns, parameters, records, functions = '' }: RowShader,
  rows: Readonly<Record<string, ArrayLike<number>>>,
  count: number,
): Promise<Record<string, Float32Array>> {
  const code = `${WGSL_FUNCTIONS}\n${functions}
@group(0) @binding(0) var<storage, read_write> rows: array<f32>;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> records: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x;
  if (row >= ${count}u) { return; }
  let step_base = 0u;
  let unused = parameters[0] + records[0] + f32(step_base);
  ${columns.map((name, k) => `var c_${name} = rows[${k * count}u + row];`).join('\n  ')}
  ${statements}
  ${columns.map((name, k) => `rows[${k * count}u + row] = c_${name};`).join('\n  ')}
}`;
  const buffer = (data: Float32Array, more = 0) => {
    const made = device.createBuffer({
      size: Math.max(16, data.byteLength),
      usage: USAGE.storage | USAGE.copyTarget | USAGE.copySource | more,
    });
    device.queue.writeBuffer(made, 0, data);
    return made;
  };
  const values = new Float32Array(columns.length * count);
  columns.forEach((name, k) => {
    values.set(
      Array.from({ length: count }, (_, i) => rows[name]?.[i] ?? 0),
      k * count,
    );
  });
  const buffers = [
    buffer(values),
    buffer(parameters ?? new Float32Array(4)),
    buffer(records ?? new Float32Array(4)),
  ];
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module: device.createShaderModule({ code }), entryPoint: 'main' },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((one, binding) => ({ binding, resource: { buffer: one } })),
  });
  const target = device.createBuffer({ size: values.byteLength, usage: USAGE.mapRead | USAGE.copyTarget });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(Math.ceil(count / 64));
  pass.end();
  encoder.copyBufferToBuffer(buffers[0] as never, 0, target, 0, values.byteLength);
  device.queue.submit([encoder.finish()]);
  await target.mapAsync(MAP_READ);
  const found = new Float32Array(target.getMappedRange().slice(0));
  target.unmap();
  return Object.fromEntries(columns.map((name, k) => [name, found.slice(k * count, (k + 1) * count)]));
}
