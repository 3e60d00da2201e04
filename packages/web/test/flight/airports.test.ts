import { expect, test } from 'vitest';
import { airportRows } from '../../build/airports.ts';
import { type Airport, searchAirports } from '../../src/flight/airports.ts';

const CSV = `icao,iata,name,municipality,country,continent,size,latitude,longitude,elevation_ft,scheduled
EGKK,LGW,London Gatwick Airport,"London/Gatwick, West Sussex",GB,EU,large,51.14877,-0.19209,202,1
EGLL,LHR,London Heathrow Airport,London,GB,EU,large,51.4706,-0.461941,83,1
CYXU,YXU,London Airport,London,CA,NA,medium,43.03,-81.15,912,1
KJFK,JFK,"John F. Kennedy, Airport",New York,US,NA,large,40.639447,-73.779317,13,1
AAXX,,Rothera Point Airport,Rothera Point,AQ,AN,small,-67.56694,-68.12699,,0
LOND,LDN,Somewhere,Elsewhere,XX,EU,medium,1,2,,1
`;

const airports = airportRows(CSV).map(
  ([icao, iata, name, town, latitude, longitude, elevationFt]): Airport => ({
    icao,
    iata,
    name,
    town,
    latitude,
    longitude,
    elevationFt,
  }),
);

test('airports with scheduled flights are kept, names with commas whole', () => {
  expect(airports.map(({ icao, name }) => [icao, name])).toEqual([
    ['EGKK', 'London Gatwick Airport'],
    ['EGLL', 'London Heathrow Airport'],
    ['KJFK', 'John F. Kennedy, Airport'],
    ['CYXU', 'London Airport'],
    ['LOND', 'Somewhere'],
  ]);
});

test.each([
  ['jfk', ['KJFK']],
  ['EGLL', ['EGLL']],
  ['london', ['EGLL', 'CYXU', 'EGKK']],
  ['lond', ['LOND', 'EGKK', 'EGLL', 'CYXU']],
  ['heathrow', ['EGLL']],
  ['', []],
])('“%s” finds codes first, then whole names, then beginnings', (text, found) => {
  expect(searchAirports(airports, text).map(({ icao }) => icao)).toEqual(found);
});
