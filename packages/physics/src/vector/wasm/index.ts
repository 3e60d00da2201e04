export { unsigned, type WasmFunction, wasmModule } from './binary.ts';
export { MEMORY_LIMITS, memory, scoped, takeNumbers } from './memory.ts';
export { WebAssembly } from './web-assembly.ts';
