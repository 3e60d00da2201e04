/** Unknown cells of a contrail grid: 0 also marks cells that could not be computed. */

/** Counts of cells in the attributes of files, by name; a count of 0 is left out. */
export interface UnknownCells {
  readonly cells_without_weather?: number;
  readonly cells_without_forcing?: number;
}

export function unknownCells(
  withoutWeather: readonly number[],
  withoutForcing: readonly number[],
): UnknownCells {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const [weather, forcing] = [sum(withoutWeather), sum(withoutForcing)];
  return {
    ...(weather > 0 && { cells_without_weather: weather }),
    ...(forcing > 0 && { cells_without_forcing: forcing }),
  };
}

export function unknownCellWarnings({
  cells_without_weather,
  cells_without_forcing,
}: UnknownCells): string[] {
  return [
    ...(cells_without_weather === undefined
      ? []
      : [
          `${cells_without_weather} cells have no weather, and 0 in the grid: whether contrails form there is unknown`,
        ]),
    ...(cells_without_forcing === undefined
      ? []
      : [
          `the contrails of ${cells_without_forcing} cells live through steps without data of radiation, wind or vertical velocity, which count without forcing: their energy forcing is too small in magnitude, and where it is 0 they are not harmless but unknown`,
        ]),
  ];
}
