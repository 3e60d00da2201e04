import { defineKernel } from '../compute.ts';
import { prepareSearch, type SearchOutcome, type SearchWork } from './search.ts';

/** Each block is one search. */
export default defineKernel<SearchWork, SearchOutcome>((work) => {
  const run = prepareSearch(work);
  return (block) => run(block);
});
