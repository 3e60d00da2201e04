/** Vector loops over one kind of table, compiled together when the first of them runs. */
import type { LoopBody } from '../expression.ts';
import { wasmModule } from './binary.ts';
import { type ConstantPool, WasmLoop } from './loop.ts';
import { WasmMath } from './math.ts';
import { kernelMemory, MEMORY_LIMITS, reserveNumbers } from './memory.ts';
import { WebAssembly } from './web-assembly.ts';

/** Runs a loop over the first `count` rows; rows behind them, up to a multiple of four, are written over. */
export type Kernel = (baseBytes: number, strideBytes: number, count: number) => void;

/** The loops of a module, by name. */
export function compileKernels<Column extends string, Name extends string>(
  columns: readonly Column[],
  bodies: Readonly<Record<Name, LoopBody<Column>>>,
): Readonly<Record<Name, Kernel>> {
  const functions = (Object.keys(bodies) as Name[]).map((name) => {
    const loop = new WasmLoop(name, columns, constants);
    bodies[name](loop, new WasmMath(loop));
    return loop.finish();
  });
  const module = new WebAssembly.Module(wasmModule(functions, MEMORY_LIMITS));
  const { exports } = new WebAssembly.Instance(module, { env: { memory: kernelMemory() } });
  return exports as unknown as Record<Name, Kernel>;
}

const constantAddresses = new Map<bigint, number>();
const double = new Float64Array(1);
const bitsOfDouble = new BigUint64Array(double.buffer);

const constants: ConstantPool = {
  number(value) {
    double[0] = value;
    return this.bits(bitsOfDouble[0] as bigint);
  },
  bits(value) {
    const known = constantAddresses.get(value);
    if (known !== undefined) return known;
    bitsOfDouble[0] = value;
    const number = double[0] as number;
    const { address } = reserveNumbers([number, number]);
    constantAddresses.set(value, address);
    return address;
  },
};
