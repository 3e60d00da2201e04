/** What a source of weather outside this package is made of: it implements `MetSource`. */
export { matchKnots } from './field/assemble.ts';
export { allocateField, fieldSlice, type MetField, offsetOf, pointCount } from './field/field.ts';
export type { MetWindow } from './source.ts';
export { Threads } from './threads/threads.ts';
export { findVariable } from './variables.ts';
export { gridAxes, windowAxes } from './windows/window-axes.ts';
