/** Airports with scheduled flights, from the table of `@contrails/flights`, as short rows for the search field. */

/** ICAO code, IATA code, name, town, latitude, longitude. */
export type AirportRow = readonly [string, string, string, string, number, number];

export function airportRows(csv: string): AirportRow[] {
  const [header = '', ...lines] = csv.trim().split('\n');
  const names = header.trim().split(',');
  const at = (name: string) => names.indexOf(name);
  return lines.flatMap((line): AirportRow[] => {
    const cells = splitLine(line.trim());
    const cell = (name: string) => cells[at(name)] ?? '';
    if (cell('scheduled') !== '1' || cell('size') === 'small') return [];
    const degrees = (name: string) => Math.round(Number(cell(name)) * 1000) / 1000;
    return [
      [
        cell('icao'),
        cell('iata'),
        cell('name'),
        cell('municipality'),
        degrees('latitude'),
        degrees('longitude'),
      ],
    ];
  });
}

function splitLine(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
