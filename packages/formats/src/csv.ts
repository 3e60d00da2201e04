/** Cells of a line of CSV, with quotes as in RFC 4180; undefined when a quote is not closed. */
export function csvCells(line: string): string[] | undefined {
  if (!line.includes('"')) return line.split(',');
  const cells: string[] = [];
  const cell = /\s*"((?:[^"]|"")*)"\s*(,|$)|([^,"]*)(,|$)/y;
  for (;;) {
    const match = cell.exec(line);
    if (match === null) return undefined;
    const [, quoted, quotedEnd, plain = '', plainEnd] = match;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if ((quotedEnd ?? plainEnd) !== ',') return cells;
  }
}
