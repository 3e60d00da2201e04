import { defineKernel } from '@contrails/runtime/compute';
import type { MetField } from '../../src/field/field.ts';

/** Mean of the first variable at each time of a field. */
export default defineKernel((field: MetField) => () => {
  const step = field.variables.length;
  return field.slabs.map((slab) => {
    let sum = 0;
    for (let i = 0; i < slab.length; i += step) sum += slab[i] as number;
    return (sum * step) / slab.length;
  });
});
