export { unsigned, type WasmFunction, wasmModule } from './binary.ts';
export { kernelMemory, MEMORY_LIMITS, scoped, takeNumbers } from './memory.ts';
export { WebAssembly } from './web-assembly.ts';
