import { bbox } from '@contrails/engine/grid/bbox';
import { flightLevel, flightLevels } from '@contrails/engine/grid/flight-level';
import { FLIGHT_LEVELS } from '@contrails/engine/grid/layout';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boolean } from '../../src/options/boolean.ts';
import { choice } from '../../src/options/choice.ts';
import { list } from '../../src/options/list.ts';
import { number } from '../../src/options/number.ts';
import type { Parameter, RawValue } from '../../src/options/parameter.ts';
import { text } from '../../src/options/text.ts';

/** The value, or the first sentence of what is wrong. */
function read<T>(parameter: Parameter<T>, raw: RawValue): T | string | undefined {
  const result = parameter.read('name', raw);
  return 'value' in result ? result.value : result.errors[0]?.msg;
}

describe('number', () => {
  test.each([
    ['1e8', 1e8],
    ['100000000.0', 1e8],
    ['+5', 5],
    ['-5.', -5],
    ['.5', 0.5],
    ['1E-3', 0.001],
    ['-0', -0],
  ])('%s is read as a number', (raw, value) => {
    expect(read(number(), raw)).toBe(value);
  });

  test.each([
    '',
    ' ',
    'NaN',
    'nan',
    'Infinity',
    '-inf',
    '0x10',
    '0b1',
    '1e',
    '1e999',
    '1,5',
    '1_000',
    '٣',
    '5 ',
    '--1',
  ])('%j is refused', (raw) => {
    expect(read(number(), raw)).toContain('is not a number; give a number');
  });

  test('what JavaScript writes is read back', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(read(number(), String(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  test('limits are named', () => {
    const efficiency = number({ exclusiveMinimum: 0, maximum: 1 });
    expect(read(efficiency, '1')).toBe(1);
    expect(read(efficiency, '0')).toBe('name 0 is out of range; give a number above 0 and up to 1');
    expect(read(efficiency, '1.5')).toContain('is out of range');
    expect(read(number({ integer: true, minimum: 0 }), '1.5')).toBe(
      'name 1.5 is out of range; give a whole number of at least 0',
    );
  });

  test('a repeated one is an error', () => {
    expect(read(number(), ['1', '2'])).toBe('name was given 2 times; give it once');
  });
});

describe('boolean', () => {
  test.each(['true', 'True', 'TRUE', '1', 'on', 'yes', 't', 'Y'])('%s is true', (raw) => {
    expect(read(boolean(), raw)).toBe(true);
  });

  test.each(['false', 'False', '0', 'OFF', 'no', 'f', 'n'])('%s is false', (raw) => {
    expect(read(boolean(), raw)).toBe(false);
  });

  test.each(['', 'maybe', '2', 'truee', ' true', 'null', 'constructor'])('%j is neither', (raw) => {
    expect(read(boolean(), raw)).toContain('is not a flag; give true or false');
  });
});

describe('choice', () => {
  test('is case-sensitive and lists what there is', () => {
    const format = choice(['netcdf', 'geojson', 'kml']);
    expect(read(format, 'kml')).toBe('kml');
    expect(read(format, 'KML')).toBe('name KML is not served; choose from netcdf, geojson, kml');
    expect(read(format, '__proto__')).toContain('is not served');
  });
});

describe('text', () => {
  test('keeps to its length and pattern', () => {
    const designator = text({ pattern: /^[A-Z0-9]{2,4}$/, accepted: 'a designator such as B738' });
    expect(read(designator, 'B738')).toBe('B738');
    expect(read(designator, '../etc')).toBe('name ../etc is not accepted; give a designator such as B738');
    expect(read(text({ maxLength: 3 }), 'abcd')).toContain('a text of 1 to 3 characters');
    expect(read(text(), '')).toContain('an empty text');
  });

  test('counts characters as the description does, not the units of a string', () => {
    expect(read(text({ maxLength: 3 }), '𝐓𝐡𝐞')).toBe('𝐓𝐡𝐞');
    expect(read(text({ maxLength: 3 }), '𝐓𝐡𝐞𝐧')).toContain('a text of 1 to 3 characters');
  });

  test('a long value is not repeated in full', () => {
    expect(read(text(), 'x'.repeat(10_000))?.length).toBeLessThan(200);
  });
});

describe('list', () => {
  const numbers = list(number());

  test('a comma text and a repeated name are the same', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 20 }),
        (values, cut) => {
          const texts = values.map(String);
          const halves = [texts.slice(0, cut).join(','), texts.slice(cut).join(',')].filter(
            (half) => half !== '',
          );
          expect(read(numbers, texts.join(','))).toEqual(values);
          expect(read(numbers, texts)).toEqual(values);
          expect(read(numbers, halves)).toEqual(values);
        },
      ),
    );
  });

  test('blanks around an element do not matter', () => {
    expect(read(numbers, '1, 2')).toEqual([1, 2]);
  });

  test('every invalid element is reported with its place', () => {
    const result = numbers.read('name', '1,,x,4');
    expect('errors' in result && result.errors.map(({ index }) => index)).toEqual([1, 2]);
  });

  test('the number of elements is limited', () => {
    expect(read(list(number(), { minItems: 2, maxItems: 3 }), '1')).toBe('name has 1 values; give 2 to 3');
    expect(read(numbers, ','.repeat(16_000))).toContain('give 1 to 1000');
  });
});

describe('flight levels', () => {
  test('are the 18 of the specification', () => {
    expect(FLIGHT_LEVELS).toEqual([
      270, 280, 290, 300, 310, 320, 330, 340, 350, 360, 370, 380, 390, 400, 410, 420, 430, 440,
    ]);
  });

  test('come back ascending, each once, whatever the order', () => {
    expect(read(flightLevels(), '320,300,320')).toEqual([300, 320]);
    expect(read(flightLevels(), ['440', '300.0,270'])).toEqual([270, 300, 440]);
  });

  test.each(['275', '260', '450', 'FL300', '', '3e2x', '-300', '350.5'])('%j is not served', (raw) => {
    expect(read(flightLevel(), raw)).toContain('is not served; choose from 270, 280, … 440');
  });
});

describe('bbox', () => {
  test('is four numbers, by comma or repeated', () => {
    const box = { minLon: -60, minLat: 30, maxLon: 10, maxLat: 60, crossesAntimeridian: false };
    expect(read(bbox(), '-60,30,10,60')).toEqual(box);
    expect(read(bbox(), ['-60', '30', '10', '60'])).toEqual(box);
  });

  test('crosses the antimeridian when min_lon > max_lon', () => {
    expect(read(bbox(), '170,-10,-170,10')).toMatchObject({
      minLon: 170,
      maxLon: -170,
      crossesAntimeridian: true,
    });
  });

  test('0…360 longitudes mean the same box', () => {
    expect(read(bbox(), '170,-10,190,10')).toEqual(read(bbox(), '170,-10,-170,10'));
    expect(read(bbox(), '190,-10,200,10')).toMatchObject({
      minLon: -170,
      maxLon: -160,
      crossesAntimeridian: false,
    });
    expect(read(bbox(), '0,-90,360,90')).toMatchObject({
      minLon: -180,
      maxLon: 180,
      crossesAntimeridian: false,
    });
  });

  test.each([
    ['1,2,3', 'name has 3 values; give 4: min_lon,min_lat,max_lon,max_lat'],
    ['1,2,3,4,5', 'name has 5 values'],
    ['0,60,10,30', 'name min_lat 60 lies north of max_lat 30; swap them'],
    ['0,0,10,91', 'name max_lat 91 is out of range; give a number from -90 to 90'],
    ['-181,0,10,10', 'name min_lon -181 is out of range'],
    ['a,0,10,10', 'name min_lon a is not a number'],
    ['', 'name has 1 values'],
  ])('%s: %s', (raw, words) => {
    expect(read(bbox(), raw)).toContain(words);
  });

  test('all errors are reported at once', () => {
    const result = bbox().read('name', 'a,b,c,d');
    expect('errors' in result && result.errors.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  });
});
