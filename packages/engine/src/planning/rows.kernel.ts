import { defineKernel } from '../compute.ts';
import { prepareRows, type RowOutcome, type RowWork } from './rows.ts';

/** Each block is some rows of one flight. */
export default defineKernel<RowWork, RowOutcome[]>((work) => {
  const run = prepareRows(work);
  return (block, context) => run(block, () => context.throwIfCancelled());
});
