/** How pages are indexed; the build makes the index, the page reads it. */
import type { Options } from 'minisearch';

export interface SearchEntry {
  readonly id: string;
  /** With the anchor of the section. */
  readonly address: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  /** The beginning of the text, which results show. */
  readonly excerpt: string;
}

export const SEARCH_OPTIONS: Options<SearchEntry> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['address', 'title', 'heading', 'excerpt'],
  // `energy_forcing` and `met.sources` are found whole and by their words.
  tokenize: (text) => {
    const words = text.split(/[^\p{L}\p{N}_.-]+/u).map((word) => word.replace(/^[._-]+|[._-]+$/g, ''));
    return words
      .flatMap((word) => {
        const parts = word.split(/[_.-]/);
        return parts.length > 1 ? [word, ...parts] : [word];
      })
      .filter((word) => word !== '');
  },
  searchOptions: {
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { title: 4, heading: 3 },
    combineWith: 'AND',
  },
};
