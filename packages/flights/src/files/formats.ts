/** All formats of flight files, in the order in which they are recognised: the only place that names them all. */
import type { FlightFormat } from './contract.ts';
import { allft } from './formats/allft.ts';
import { arinc633Ofp } from './formats/arinc633-ofp.ts';
import { eurocontrolRnd } from './formats/eurocontrol-rnd.ts';
import { fdrCsv } from './formats/fdr-csv.ts';
import { flightBodyFormat } from './formats/flight-body.ts';
import { fr24Csv } from './formats/fr24-csv.ts';
import { fr24Json } from './formats/fr24-json.ts';
import { geojson } from './formats/geojson.ts';
import { gpx } from './formats/gpx.ts';
import { icaoFpl } from './formats/icao-fpl.ts';
import { igc } from './formats/igc.ts';
import { kml } from './formats/kml.ts';
import { readsbTraceJson } from './formats/readsb-trace-json.ts';
import { so6 } from './formats/so6.ts';
import { table } from './formats/table.ts';
import { trafficParquet } from './formats/traffic-parquet.ts';

export const FLIGHT_FORMATS: readonly FlightFormat[] = [
  arinc633Ofp,
  eurocontrolRnd,
  fr24Csv,
  fr24Json,
  so6,
  allft,
  table,
  fdrCsv,
  trafficParquet,
  gpx,
  kml,
  readsbTraceJson,
  flightBodyFormat,
  geojson,
  igc,
  icaoFpl,
];
