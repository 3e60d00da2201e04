// Made by scripts/make-tables.ts from data/load-factors-regions.csv; do not edit.

export const loadFactorsRegions = {
  rowCount: 22,
  icaoAirportPrefix: [
    'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'K', 'L', 'M', 'N', 'O', 'P', 'R', 'S', 'T', 'U', 'V', 'W', 'Y',
    'Z',
  ] as readonly string[],
  region: [
    'asia_pacific', 'europe', 'north_america', 'africa', 'europe', 'africa', 'africa', 'africa',
    'north_america', 'europe', 'latin_america', 'asia_pacific', 'middle_east', 'asia_pacific', 'asia_pacific',
    'latin_america', 'latin_america', 'asia_pacific', 'asia_pacific', 'asia_pacific', 'asia_pacific',
    'asia_pacific',
  ] as readonly string[],
};
