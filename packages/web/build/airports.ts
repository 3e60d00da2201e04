/** Airports with scheduled flights, from the table of `@contrails/flights`, as short rows for the search field. */

/** ICAO code, IATA code, name, town, latitude, longitude, elevation [ft]. */
export type AirportRow = readonly [string, string, string, string, number, number, number];

/** Large airports first: a town means them. */
export function airportRows(csv: string, sizes: readonly string[] = ['large', 'medium']): AirportRow[] {
  const [header = '', ...lines] = csv.trim().split('\n');
  const names = header.trim().split(',');
  const airports = lines.map((line) => {
    const cells = splitLine(line.trim());
    return (name: string) => cells[names.indexOf(name)] ?? '';
  });
  const ofSize = (size: string) =>
    airports.filter((cell) => cell('scheduled') === '1' && cell('size') === size);
  return sizes.flatMap(ofSize).map((cell) => {
    const degrees = (name: string) => Math.round(Number(cell(name)) * 1000) / 1000;
    return [
      cell('icao'),
      cell('iata'),
      cell('name'),
      cell('municipality'),
      degrees('latitude'),
      degrees('longitude'),
      Number(cell('elevation_ft')),
    ];
  });
}

function splitLine(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
