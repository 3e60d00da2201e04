import { expect, test } from 'vitest';
import { startGridServer } from './support/grid-server.ts';

const { get } = await startGridServer();
const AT = 'time=2024-06-12T03';

test.each([
  ['a level in between', `${AT}&flight_level=275`, 'flight_level', /275.*choose from 270, 280, … 440/],
  ['one wrong level of several', `${AT}&flight_level=270,275`, 'flight_level', /choose from 270/],
  ['a format in capitals', `${AT}&format=NetCDF`, 'format', /NetCDF.*choose from netcdf, geojson, kml/],
  ['a box of three numbers', `${AT}&bbox=-40,40,-20`, 'bbox', /3 values; give 4: min_lon,min_lat/],
  ['a box upside down', `${AT}&bbox=-40,60,-20,40`, 'bbox', /min_lat 60 lies north of max_lat 40/],
  ['a box with NaN', `${AT}&bbox=NaN,40,-20,60`, 'bbox', /min_lon NaN is not a number/],
  ['a box beyond the pole', `${AT}&bbox=-40,40,-20,91`, 'bbox', /from -90 to 90/],
  ['a box without a cell', `${AT}&bbox=-40.1,40.1,-40.05,40.2`, 'bbox', /holds no cell centre.*0\.25°/],
  ['no time', '', 'time', /time is missing/],
  ['a word for a time', 'time=yesterday', 'time', /ISO 8601/],
  ['two times', `${AT}&time=2024-06-12T08`, 'time', /give it once/],
  ['a time before the weather', 'time=2024-06-12T02:59', 'time', /2024-06-12T03:00Z to 2024-06-12T08:00Z/],
  ['a time after the weather', 'time=2030-01-01', 'time', /2024-06-12T03:00Z to 2024-06-12T08:00Z/],
  ['no engine', `${AT}&engine_efficiency=0`, 'engine_efficiency', /above 0 and up to 1/],
  ['a perpetual engine', `${AT}&engine_efficiency=2`, 'engine_efficiency', /above 0 and up to 1/],
  ['too much simplification', `${AT}&simplify=11`, 'simplify', /from 0 to 10/],
  ['half a simplification', `${AT}&simplify=1.5`, 'simplify', /whole number/],
  ['a word for a flag', `${AT}&interiors=perhaps`, 'interiors', /true or false/],
  ['weather that is not configured', `${AT}&met_source=gfs`, 'met_source', /choose from trial/],
  [
    'a place without weather',
    `${AT}&bbox=100,10,120,20`,
    'bbox',
    /latitudes 32 to 67, longitudes -48 to -13/,
  ],
  ['a scaling nobody knows', `${AT}&humidity_scaling=double`, 'humidity_scaling', /histogram_matching/],
  ['a parameter of another scaling', `${AT}&humidity_scaling=none&rhi_adj=1`, 'rhi_adj', /leave it out/],
])('%s is refused with what is allowed', async (_, query, parameter, message) => {
  const answer = await get(`/v0/grid/sac?${query}`);
  expect(answer.status).toBe(422);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  const { detail, errors } = answer.problem();
  expect(errors?.[0]?.loc.slice(0, 2)).toEqual(['query', parameter]);
  expect(detail).toMatch(message);
});

test('all errors are listed at once', async () => {
  const answer = await get('/v0/grid/pcr?time=x&flight_level=275,1&bbox=1&format=xml&simplify=-1');
  expect(answer.problem().errors?.map(({ loc }) => loc[1])).toEqual([
    'time',
    'flight_level',
    'flight_level',
    'bbox',
    'format',
    'simplify',
  ]);
});

test('issr has no engine; the parameter of other grids is ignored with a warning', async () => {
  const answer = await get(`/v0/grid/issr?${AT}&bbox=-40,40,-39,41&flight_level=350&engine_efficiency=2`);
  expect(answer.status).toBe(200);
  expect(answer.headers['contrails-warnings']).toContain('engine_efficiency has no effect');
});

test('a misspelt parameter is refused with the name that was meant', async () => {
  const answer = await get(`/v0/grid/sac?${AT}&flightlevel=350`);
  expect([answer.status, answer.problem().detail]).toEqual([
    422,
    'flightlevel is not a parameter of this endpoint; did you mean flight_level?',
  ]);
});

test('a model that does not exist is not found', async () => {
  expect((await get(`/v0/grid/sacs?${AT}`)).status).toBe(404);
});
