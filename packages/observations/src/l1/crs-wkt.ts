import type { FixedGrid } from '../navigation/index.ts';

const DEGREE = 'ANGLEUNIT["degree",0.0174532925199433]';
const METRE = 'LENGTHUNIT["metre",1]';

/** The reference system of a fixed grid in WKT 2, in metres. */
export function crsWkt(grid: FixedGrid): string {
  const ellipsoid = `ELLIPSOID["unknown",${grid.semiMajor},${inverseFlattening(grid)},${METRE}]`;
  const base = `BASEGEOGCRS["unknown",DATUM["unknown",${ellipsoid}],PRIMEM["Greenwich",0,${DEGREE}]]`;
  const parameters = [
    `PARAMETER["Longitude of natural origin",${grid.longitudeOfOrigin},${DEGREE},ID["EPSG",8802]]`,
    `PARAMETER["Satellite Height",${grid.height},${METRE}]`,
    `PARAMETER["False easting",0,${METRE},ID["EPSG",8806]]`,
    `PARAMETER["False northing",0,${METRE},ID["EPSG",8807]]`,
  ].join(',');
  const method = `METHOD["Geostationary Satellite (Sweep ${grid.sweep.toUpperCase()})"]`;
  const axes = `CS[Cartesian,2],AXIS["(E)",east,ORDER[1],${METRE}],AXIS["(N)",north,ORDER[2],${METRE}]`;
  return `PROJCRS["${grid.name}",${base},CONVERSION["unknown",${method},${parameters}],${axes}]`;
}

export function inverseFlattening({ semiMajor, semiMinor }: FixedGrid): number {
  return semiMajor === semiMinor ? 0 : semiMajor / (semiMajor - semiMinor);
}
