export type { ReadSettings } from './assemble.ts';
export { type FrameFiles, groupFrames, type NamedFile, parseFileName } from './file-names.ts';
export { readFrame } from './read.ts';
